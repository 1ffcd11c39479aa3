#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# run: prove's own engine (TAP::Harness) over the tests named on the command line, called directly and not through
# `prove` because prove does not tell how many points were skipped. Two things prove does not know are added: no test at
# all is a failure, and with CI=true a test listed in tests/lib/must_run that skips is one. The last line is the tally.
use strict;
use warnings;
use TAP::Harness;

my @tests = @ARGV;
if (!@tests) {
    print STDERR "run: no tests found\n";
    print "0 passed, 1 failed, 0 skipped\n";
    exit 1;
}
my $shared = $ENV{RAINGAUGE_SHARED} // '../shared';
$ENV{RAINGAUGE_SHARED} = $shared;

my $harness = TAP::Harness->new({
    jobs      => $ENV{JOBS} // 2,
    timer     => 1,
    verbosity => $ENV{V} ? 1 : 0,
    exec      => sub { my ($h, $file) = @_; return [$file =~ /\.sh$/ ? ('bash', $file) : ($file =~ m{^/} ? $file : "./$file")] },
});

my (%skips, $skipped);
$harness->callback(after_test => sub {
    my ($job, $parser) = @_;
    my $file = ref $job eq 'ARRAY' ? $job->[0] : $job;
    $skips{$file} = $parser->skip_all ? ["all: " . $parser->skip_all] : [map { "point $_" } $parser->skipped];
    $skipped += @{ $skips{$file} };
});

my $result = $harness->runtests(@tests);
my ($passed, $failed) = (scalar $result->passed, $result->failed + $result->parse_errors);
$passed -= grep { !/^all/ } map { @$_ } values %skips; # a skipped point prints "ok"
my $broken = grep { $_->exit != 0 && !$_->failed } $result->parsers;
$failed += $broken;

if (($ENV{CI} // '') eq 'true' && open my $list, '<', 'tests/lib/must_run') {
    while (<$list>) {
        s/#.*//;
        my ($name) = /(\S+)/ or next;
        my @files = grep { m{(^|/)\Q$name\E(\.sh)?$} } @tests;
        my @why = @files ? map { @{ $skips{$_} // [] } } @files : ("there is no such test");
        next if !@why;
        print "must run but did not: $name (@why)\n";
        $failed++;
    }
}
$failed = 1 if !$failed && !$result->all_passed;
printf "%d passed, %d failed, %d skipped\n", $passed, $failed, $skipped // 0;
exit($failed ? 1 : 0);
