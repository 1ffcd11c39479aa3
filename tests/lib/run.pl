#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# run: prove's own engine (TAP::Harness) over the tests named on the command line, called directly and not through
# `prove` because prove does not tell how many points were skipped. Two things prove does not know are added: no test
# at all is a failure, and so is a test listed in tests/lib/must_run that is missing or, with CI=true, skips. In logs a
# test has its path below tests/, without its ending. The last line is the tally.
#   run.pl TEST...          runs the tests; V=1 shows each point, JOBS how many run at once, T that these are some
#   run.pl --none TEST...   says that no test and no folder is called T, and which there are
use strict;
use warnings;
use List::Util qw(min uniq);
use TAP::Harness;

sub name_of { my ($file) = @_; $file =~ s{^.*\btests/(?=(?:unit|fuzz|cli|lib|lint)/)|\.sh$}{}g; return $file }

# The number of letters to insert, remove or replace that turns one word into the other.
sub distance {
    my ($from, $to) = map { [split //] } @_;
    my @row = 0 .. @$to;
    for my $i (1 .. @$from) {
        my @next = ($i);
        for my $k (1 .. @$to) {
            push @next, min($row[$k] + 1, $next[$k - 1] + 1, $row[$k - 1] + ($from->[$i - 1] ne $to->[$k - 1]));
        }
        @row = @next;
    }
    return $row[-1];
}

sub nothing {
    my ($said, @names) = @_;
    print STDERR "run: $said\n";
    my $line = '';
    for (@names) {
        if (length($line) + length > 96) { print STDERR "  $line\n"; $line = '' }
        $line .= "$_ ";
    }
    print STDERR "  $line\n" if length $line;
    print "0 passed, 1 failed, 0 skipped\n";
    exit 1;
}

my @tests = @ARGV;
if (@tests && $tests[0] eq '--none') {
    my $wanted = $ENV{T} // '';
    my ($last) = name_of($wanted) =~ m{([^/]*)$};
    my %far = map { $_ => distance($last, $_) } uniq map { split m{/} } map { name_of($_) } @tests[1 .. $#tests];
    nothing("no test and no folder of tests is called '$wanted'; there are, nearest first:",
        sort { $far{$a} <=> $far{$b} || $a cmp $b } keys %far);
}
nothing('no tests found') if !@tests;
$ENV{RAINGAUGE_SHARED} //= '../shared';
$ENV{RAINGAUGE_LOCK}   //= 'off'; # tests run beside each other

sub command { my ($file) = @_; return $file =~ /\.sh$/ ? ('bash', $file) : $file =~ m{^/} ? $file : "./$file" }

my $harness = TAP::Harness->new({
    jobs      => $ENV{JOBS} // 2,
    timer     => 1,
    verbosity => $ENV{V} ? 1 : 0,
    $ENV{V} ? (formatter_class => 'TAP::Formatter::File') : (), # a terminal's loses points of tests side by side
    exec      => sub { return [command($_[1])] },
});

my (%skips, $skipped);
$harness->callback(after_test => sub {
    my ($job, $parser) = @_;
    my $name = $job->[1];
    $skips{$name} = $parser->skip_all ? ["all: " . $parser->skip_all] : [map { "point $_" } $parser->skipped];
    $skipped += @{ $skips{$name} };
});

my $result = $harness->runtests(map { [$_, name_of($_)] } @tests);
my ($passed, $failed) = (scalar $result->passed, $result->failed + $result->parse_errors);
$passed -= grep { !/^all/ } map { @$_ } values %skips; # a skipped point prints "ok"
my $broken = grep { $_->exit != 0 && !$_->failed } $result->parsers;
$failed += $broken;

my $strict = ($ENV{CI} // '') eq 'true';
if (!length($ENV{T} // '') && open my $list, '<', 'tests/lib/must_run') {
    while (<$list>) {
        s/#.*//;
        my ($name) = /(\S+)/ or next;
        my @why = grep({ name_of($_) eq $name } @tests) ? $strict ? @{ $skips{$name} // [] } : () : ('there is no such test');
        next if !@why;
        print "must run but did not: $name (@why)\n";
        $failed++;
    }
}
$failed = 1 if !$failed && !$result->all_passed;
printf "%d passed, %d failed, %d skipped\n", $passed, $failed, $skipped // 0;
exit($failed ? 1 : 0);
