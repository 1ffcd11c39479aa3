# SPDX-License-Identifier: Apache-2.0
# TestNames: the names of test points. A name of fewer than three words, and one that goes on where the name before it
# ended ("and says so"), says nothing alone in a log.
package TestNames;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(check_test_names test_names);

my $FEW = 3;

# Where the name stands among the arguments of tap.h.
my %at = (ok => 1, is_int => 2, is_str => 2, is_near => 3, is_mem => 3, pass => 0, fail => 0, skip => 1);

# The arguments of a call whose list begins at the position, up to the wanted one, which is returned.
sub argument {
    my ($text, $from, $want) = @_;
    my ($depth, $n, $start) = (0, 0, $from);
    pos($text) = $from;
    while ($text =~ /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|([(\[{])|([)\]}])|(,)/g) {
        if ($1) { $depth++; next }
        next if !$2 && (!$3 || $depth);
        if ($2 && $depth) { $depth--; next }
        return substr $text, $start, $-[0] - $start if $n == $want;
        return if $2;
        ($n, $start) = ($n + 1, $+[0]);
    }
    return;
}

sub line_at { my ($text, $at) = @_; return 1 + (substr($text, 0, $at) =~ tr/\n//) }

# The names in a text, each as [line, name].
sub names_of_c {
    my ($text) = @_;
    my @names;
    while ($text =~ /^\s+(?:\w.*?\W)?(ok|is_int|is_str|is_near|is_mem|pass|fail|skip)\(/gm) {
        my ($what, $from) = ($1, pos $text);
        my $name = argument($text, $from, $at{$what}) // next;
        next if $name !~ /^\s*"/; # made elsewhere
        $name =~ s/"\s*"|^\s*"|"\s*$//g;
        push @names, [line_at($text, $from), $name];
    }
    return @names;
}

sub names_of_shell {
    my ($text) = @_;
    my @names;
    my $status = qr/"\$\(.*?echo \$\?\)"\s*\\?|"[^"]*"|\S+/; # of ok: its name may stand in the next line
    my $call = qr/(?:ok\s+(?:$status)|gives\s+\S+|skip|json)/;
    push @names, [line_at($text, $-[2]), $2] while $text =~ /^[^\S\n]*(?:.*[;&|{]\s*)?$call\s+(["'])(.+?)\1/gm;
    return @names;
}

# What a name lacks, if anything. A text that is filled in when the test runs counts as many words.
sub lack_of {
    my ($name) = @_;
    my @words = split ' ', $name;
    return 'has fewer than three words' if $name !~ /%[-.\d*]*s|\$/ && @words < $FEW;
    return 'goes on from another name' if $name =~ /^(?:and|but|its?|nor|or|so|their|then|they|which)\b/;
    return;
}

# All names of the tests of a tree, each as [file, line, name, what it lacks].
sub test_names {
    my ($tree) = @_;
    my @all;
    for my $file (grep { m{^tests/(?:(?:unit|cli|lib|lint)/.*|[^/]+)\.(?:c|sh)$} } sort keys %$tree) {
        my $text = $tree->{$file}{text};
        push @all, map { [$file, @$_, scalar lack_of($_->[1])] } $file =~ /c$/ ? names_of_c($text) : names_of_shell($text);
    }
    return @all;
}

sub check_test_names {
    my ($tree) = @_;
    return map { ['test names', "$_->[0]:$_->[1]", "the test name '$_->[2]' $_->[3]"] }
        grep { $_->[3] } test_names($tree);
}

1;
