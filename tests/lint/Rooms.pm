# SPDX-License-Identifier: Apache-2.0
# Rooms: what may include what; how large a folder may be; cycles of modules; plug-ins in files of their own name.
package Rooms;
use strict;
use warnings;
use Exporter 'import';
use Tree;
our @EXPORT = qw(check_edges check_folders check_cycles check_plugins modules_of_folders cycles);

my $MODULE_WALL = 25;

# Rooms and what each may include besides itself. The longest name that a path begins with is its room.
my @program = map { "harness/program/$_" } qw(ir ops schedule lower features interp);
my @lower = ('harness/base', 'harness/stats', @program, 'harness/plug');
my @record = (@lower, qw(harness/record harness/record/tvm));
my @run = (@record, qw(harness/measure harness/tune));
my %may = (
    'harness/base'             => [],
    'harness/stats'            => ['harness/base'],
    'harness/program/ir'       => ['harness/base'],
    'harness/program/ops'      => ['harness/base', $program[0]],
    'harness/program/schedule' => ['harness/base', @program[0, 1]],
    'harness/program/lower'    => ['harness/base', @program[0 .. 2]],
    'harness/program/features' => ['harness/base', @program[0 .. 3]],
    'harness/program/interp'   => ['harness/base', @program[0 .. 3]],
    'harness/plug'             => ['harness/base', @program],
    'harness/measure'          => [@lower],
    'harness/record'           => ['harness/base', @program, 'harness/plug'],
    'harness/record/tvm'       => ['harness/base', @program, 'harness/plug', 'harness/record'],
    'harness/tune'             => [@record, 'harness/measure'],
    'harness/experiment'       => [@run],
    'harness/fleet'            => [@run, 'harness/experiment'],
    'harness/import'           => ['harness/base', @program[0, 1]],
    'harness/report/data'      => [@run, 'harness/experiment'],
    'harness/report/ranking'   => [@lower],
    'harness/report/best'   => [@run, qw(harness/experiment harness/report/data)],
    'harness/claims'           => [@run, qw(harness/experiment harness/report/data harness/released)],
    'harness/report/render'    => [@run, qw(harness/experiment harness/report/data harness/claims)],
    'harness/report/machines'  => [@run, qw(harness/experiment harness/report/data harness/claims harness/report/render)],
    'harness/released'         => [@lower, 'harness/experiment'],
    'harness/nightly'          => [@run, qw(harness/experiment harness/report/data harness/report/render
        harness/claims)],
    'search'                   => [@lower],
    'models'                   => [@lower],
    'targets'                  => [@lower],
);
my %free = map { $_ => 1 } qw(harness/cli tests); # may include everything
my @rooms = sort { length $b <=> length $a } keys %may, keys %free;

sub room { my ($path) = @_; for (@rooms) { return $_ if index($path, "$_/") == 0 } return '' }

sub check_edges {
    my ($tree) = @_;
    my @breaches;
    for my $file (sort keys %$tree) {
        my $room = room($file);
        next if $free{$room};
        for (@{ $tree->{$file}{includes} // [] }) {
            my ($line, $path) = @$_;
            next if $path =~ /^(?:revision|llvm_functions|a64fx_program|onnx\.pb-c)\.h$/; # made by the build
            my $to = room($path);
            if (!$to || !$tree->{$path}) {
                push @breaches, ['edges', "$file:$line", "include \"$path\" is not written from the root"];
            } elsif ($to ne $room && !grep { $_ eq $to } @{ $may{$room} // [] }) {
                push @breaches, ['edges', "$file:$line", "$room may not include $to"];
            }
        }
    }
    return @breaches;
}

# The number of modules of each folder that has C files, its subfolders not counted.
sub modules_of_folders {
    my ($tree) = @_;
    my %modules;
    for (keys %$tree) { $modules{$1}{$2} = 1 if m{^(.*)/([^/]+)\.[ch]$} }
    return { map { $_ => scalar keys %{ $modules{$_} } } keys %modules };
}

sub check_folders {
    my ($tree) = @_;
    my $modules = modules_of_folders($tree);
    my @breaches;
    for my $dir (sort keys %$modules) {
        push @breaches, ['folders', "$dir/", "$modules->{$dir} modules, the wall is $MODULE_WALL"]
            if $modules->{$dir} > $MODULE_WALL;
        push @breaches, ['readme', "$dir/", 'has no README.md'] if $dir !~ m{^tests/} && !$tree->{"$dir/README.md"};
    }
    for my $file (grep { m{^harness/(?!cli/|doc/).*\.c$} } sort keys %$tree) {
        (my $header = $file) =~ s/c$/h/;
        push @breaches, ['folders', $file, 'has no header of its name'] if !$tree->{$header} && $file !~ m{/op_\w+\.c$};
    }
    return @breaches;
}

# The sets of modules that reach one another (Tarjan), each sorted.
sub cycles {
    my ($arrows) = @_;
    my ($count, %index, %low, %on, @stack, @found) = (0);
    my $visit;
    $visit = sub {
        my ($v) = @_;
        $index{$v} = $low{$v} = $count++;
        push @stack, $v;
        $on{$v} = 1;
        for my $w (sort keys %{ $arrows->{$v} }) {
            if (!exists $index{$w}) {
                $visit->($w);
                $low{$v} = $low{$w} if $low{$w} < $low{$v};
            } elsif ($on{$w}) {
                $low{$v} = $index{$w} if $index{$w} < $low{$v};
            }
        }
        return if $low{$v} != $index{$v};
        my @set;
        do { push @set, pop @stack; delete $on{ $set[-1] } } until $set[-1] eq $v;
        push @found, [sort @set] if @set > 1;
    };
    no warnings 'recursion';
    for (sort keys %$arrows) { $visit->($_) if !exists $index{$_} }
    return @found;
}

sub folder { my ($module) = @_; return $module =~ s{/[^/]*$}{}r }

# The arrows between folders of which neither holds the other.
sub folder_arrows {
    my ($arrows) = @_;
    my %between;
    for my $from (sort keys %$arrows) {
        for my $to (sort keys %{ $arrows->{$from} }) {
            my ($here, $there) = (folder($from), folder($to));
            push @{ $between{$here}{$there} }, @{ $arrows->{$from}{$to} }
                if index("$here/", "$there/") && index("$there/", "$here/");
        }
    }
    return \%between;
}

sub check_cycles {
    my ($tree) = @_;
    my $modules = tree_arrows($tree);
    my @breaches;
    for (['modules', $modules], ['folders', folder_arrows($modules)]) {
        my ($what, $arrows) = @$_;
        for my $set (cycles($arrows)) {
            my %in = map { $_ => 1 } @$set;
            my @lines;
            for my $from (@$set) {
                for my $to (grep { $in{$_} } sort keys %{ $arrows->{$from} }) {
                    push @lines, "\n    $from -> $to (" . join(', ', @{ $arrows->{$from}{$to} }) . ')';
                }
            }
            push @breaches, ['cycles', $set->[0], @$set . " $what in a cycle:@lines"];
        }
    }
    return @breaches;
}

# A plug-in's file bears the name that users type, with '_' for '-'.
sub check_plugins {
    my ($tree) = @_;
    my @breaches;
    for my $file (grep { m{^(?:search|models|targets)/.*\.c$} } sort keys %$tree) {
        my $text = $tree->{$file}{text};
        while ($text =~ /^const struct (searcher|model|target|collector) \w+ = \{(.*?)^?\};/gms) {
            my ($what, $line) = ($1, 1 + (substr($text, 0, $-[0]) =~ tr/\n//));
            my ($name) = $2 =~ /\.name\s*=\s*"([^"]*)"/ or next;
            (my $stem = $name) =~ tr/-/_/;
            push @breaches, ['plug-ins', "$file:$line", "$what '$name' belongs in a file $stem.c"]
                if $file !~ m{/\Q$stem\E\.c$};
        }
    }
    return @breaches;
}

1;
