# SPDX-License-Identifier: Apache-2.0
# report: a report.json of experiment landscape with chosen numbers, two networks of five seeds each.
#   perl report.pl TIER CODEGEN HASH NOISE_FLOOR [INVALID_REASON]
use strict;
use warnings;
use JSON::PP;
my ($tier, $codegen, $hash, $floor, $invalid) = @ARGV;
my $tvm = $codegen eq 'tvm';
# Kernel sums of ansor are 100 ms, those of random this many.
my $random = $tvm ? 120 : 95;
# By k: the kernel times of ansor over those of the arm, its search speedup, and what the descent gains.
my %arms = $tvm ? (1 => [0.80, 3.0, 1.5], 10 => [0.97, 2.0, 1.2], 32 => [0.955, 1.5, 1.1])
                : (1 => [0.80, 3.0, 1.5], 10 => [0.99, 2.0, 1.01], 32 => [0.995, 1.5, 1.1]);
my (@explorers, @seeds);
for my $network ('resnet18', 'mobilenet_v2') {
    for my $seed (1 .. 5) {
        my $vary = 1 + 0.0005 * ($seed - 3);
        my %of = (network => $network, seed => $seed);
        push @explorers, {%of, arm => 'ansor', searcher => 'ansor', kernel_ms => 90, kernel_retimed_ms => 100, trials => 300},
            {%of, arm => 'random', searcher => 'random', kernel_ms => 90, kernel_retimed_ms => $random * $vary, trials => 297,
                time_spread => ($tvm ? 40 : 4) * $vary};
        push @seeds, {%of, arm => "dpansor-$_", kernel_speedup => 1, kernel_speedup_retimed => $arms{$_}[0] * $vary,
            search_speedup_wall => $arms{$_}[1] * ($_ == 32 ? 1 + 0.5 * ($seed - 3) : 1), seed_gain => $arms{$_}[2] * $vary}
            for 1, 10, 32;
    }
}
print JSON::PP->new->canonical->encode({
    experiment => 'landscape', report => 'contest', tier => $tier, hash => $hash, target => 'cpu',
    target_settings => $tvm ? '' : 'codegen=fast', headline => 'kernel_speedup_retimed',
    regime => 'verify=yes', seeds => 5, complete => JSON::PP::true, valid => $invalid ? JSON::PP::false : JSON::PP::true,
    invalid => $invalid,
    tables => {means => [map { {arm => "dpansor-$_", k => $_} } 1, 10, 32], explorer_seeds => \@explorers, seeds => \@seeds,
        noise => [{noise_floor => 0 + $floor, state => $invalid ? 'failed' : 'passed', reason => $invalid}]}}), "\n";
