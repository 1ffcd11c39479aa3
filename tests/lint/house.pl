#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# house: the rules of the house that no compiler checks, over the files named on the command line. One line per breach,
# `file:line: what`, status 1 if any. A wrong edge between rooms is visible in the include line.
use strict;
use warnings;

# Rooms and what each may include besides itself. The longest name that a path begins with is its room.
my @program = map { "harness/program/$_" } qw(ir ops schedule lower interp);
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
    'harness/program/interp'   => ['harness/base', @program[0 .. 3]],
    'harness/plug'             => ['harness/base', @program],
    'harness/measure'          => [@lower],
    'harness/record'           => ['harness/base', @program, 'harness/plug'],
    'harness/record/tvm'       => ['harness/base', @program, 'harness/plug', 'harness/record'],
    'harness/tune'             => [@record, 'harness/measure'],
    'harness/experiment'       => [@run],
    'harness/report/data'      => [@run, 'harness/experiment'],
    'harness/claims'           => [@run, qw(harness/experiment harness/report/data harness/released)],
    'harness/report/render'    => [@run, qw(harness/experiment harness/report/data harness/claims)],
    'harness/released'         => [@lower, 'harness/experiment'],
    'harness/nightly'          => [@run, qw(harness/experiment harness/report/data harness/report/render harness/claims)],
    'search'                   => [@lower],
    'models'                   => [@lower],
    'targets'                  => [@lower],
);
my %free = map { $_ => 1 } qw(harness/cli tests); # may include everything
my @rooms = sort { length $b <=> length $a } keys %may, keys %free;

my ($FILE_WALL, $FUNCTION_WALL) = (600, 80);
my $breaches = 0;
sub breach { my ($where, $what) = @_; print "$where: $what\n"; $breaches++ }

sub room { my ($path) = @_; for (@rooms) { return $_ if index($path, "$_/") == 0 } return '' }

sub check_include {
    my ($file, $line, $path) = @_;
    my $room = room($file);
    return if $free{$room} || $path eq 'revision.h';
    my $to = room($path);
    return breach("$file:$line", "include \"$path\" is not written from the root") if !$to || !-e $path;
    return if $to eq $room || grep { $_ eq $to } @{ $may{$room} // [] };
    breach("$file:$line", "$room may not include $to");
}

sub check_code {
    my ($file, @lines) = @_;
    my ($opened, $n) = (0, 0);
    my $base = room($file) eq 'harness/base';
    for (@lines) {
        $n++;
        check_include($file, $n, $1) if /^\s*#\s*include\s+"([^"]+)"/;
        breach("$file:$n", "a struct is not hidden behind a typedef") if /^\s*typedef\s+struct\b/;
        breach("$file:$n", "randomness comes from base/rng") if !$base && m{(?<![\w.>/"])(?:s?rand|s?random|drand48|rand_r)\(};
        breach("$file:$n", "time comes from base/clock")
            if !$base && m{(?<![\w.>/"])(?:time|gettimeofday|clock_gettime|nanosleep|usleep|sleep)\((?!void)};
        $opened = $n if /^\{\s*$/;
        next if !/^\}\s*$/ || !$opened;
        breach("$file:$opened", sprintf 'function of %d lines, the wall is %d', $n - $opened - 1, $FUNCTION_WALL)
            if $n - $opened - 1 > $FUNCTION_WALL;
        $opened = 0;
    }
    breach("$file:$n", "$n lines, the wall is $FILE_WALL") if $n > $FILE_WALL;
}

my (%folder, %has);
$has{$_} = 1 for @ARGV;
for my $file (@ARGV) {
    next if $file eq 'LICENSE' || $file =~ /\.(?:svg|png|tsv|db)$/ || -B $file && -s $file;
    open my $in, '<', $file or do { breach($file, "cannot read: $!"); next };
    my @lines = <$in>;
    my $code = $file =~ /\.[ch]$/;
    my $marked = $code || $file !~ m{README\.md$} && ($file =~ /\.(?:sh|pl|ya?ml|gp)$/ || $file =~ m{^(?:Makefile|\.ci/|\.clang-)});
    my $head = ($lines[0] // '') . ($lines[1] // '');
    breach("$file:1", 'no SPDX-License-Identifier: Apache-2.0 on the first line')
        if $marked && $head !~ /SPDX-License-Identifier: Apache-2\.0/;
    for my $n (1 .. @lines) {
        breach("$file:$n", 'names a path of one machine') if $lines[$n - 1] =~ m{(?<![\w.])/(?:work|root|home)/};
        breach("$file:$n", 'white space at the end') if $marked && $lines[$n - 1] =~ /[ \t]+$/;
    }
    next if !$code;
    check_code($file, @lines);
    my ($dir, $name) = $file =~ m{^(.*)/([^/]+)\.[ch]$};
    $folder{$dir} = 1;
    breach($file, "has no $name.h") if $file =~ m{^harness/(?!cli/).*\.c$} && $name !~ /^op_/ && !$has{"$dir/$name.h"};
}
for my $dir (sort keys %folder) {
    breach("$dir/", "has no README.md") if $dir !~ m{^tests/} && !-e "$dir/README.md";
}
exit($breaches ? 1 : 0);
