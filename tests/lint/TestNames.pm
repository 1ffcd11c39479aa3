# SPDX-License-Identifier: Apache-2.0
# TestNames: the names of test points. A name of fewer than three words says nothing alone in a log.
package TestNames;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(short_names);

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

sub names_of_c {
    my ($text) = @_;
    my @names;
    while ($text =~ /^\s+(?:\w.*?\W)?(ok|is_int|is_str|is_near|is_mem|pass|fail|skip)\(/gm) {
        my ($what, $from) = ($1, pos $text);
        my $name = argument($text, $from, $at{$what}) // next;
        next if $name !~ /^\s*"/; # made elsewhere
        $name =~ s/"\s*"|^\s*"|"\s*$//g;
        push @names, $name;
    }
    return @names;
}

sub names_of_shell {
    my ($text) = @_;
    my @names;
    my $call = qr/(?:ok\s+(?:"[^"]*"|\S+)|gives\s+\S+|skip|json)/;
    push @names, $2 while $text =~ /^\s*(?:.*[;&|{]\s*)?$call\s+(["'])(.+?)\1/gm;
    return @names;
}

# How many words a name has; a text that is filled in when the test runs counts as many.
sub words {
    my ($name) = @_;
    return $FEW if $name =~ /%[-.\d*]*s|\$\(|^\$\w+$/;
    my @words = split ' ', $name;
    return scalar @words;
}

# How many names are short and how many there are, for each folder of tests/unit and for the other folders.
sub short_names {
    my ($tree) = @_;
    my %rooms;
    for my $file (grep { m{^tests/(?:(?:unit|cli|lib|lint)/.*|[^/]+)\.(?:c|sh)$} } sort keys %$tree) {
        my $room = $file =~ m{^tests/(unit/[^/]+|[^/]+)/} ? $1 : 'tests';
        my $text = $tree->{$file}{text};
        my @names = $file =~ /c$/ ? names_of_c($text) : names_of_shell($text);
        next if !@names;
        $rooms{$room}{all} += @names;
        $rooms{$room}{short} += grep { words($_) < $FEW } @names;
    }
    return \%rooms;
}

1;
