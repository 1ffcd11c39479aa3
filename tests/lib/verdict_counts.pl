# SPDX-License-Identifier: Apache-2.0
# verdict_counts: how a page counts the claims of `raingauge claims --json` (standard input), by verdict:
# "Of the 255 claims 2 are INCONCLUSIVE and 253 NOT MEASURED". With "opinion": the number that are for or against.
use strict;
use warnings;
use JSON::PP;
local $/;
my @claims = @{ decode_json(<STDIN>)->{claims} };
my %n;
$n{ $_->{verdict} }++ for @claims;
if (($ARGV[0] // '') eq 'opinion') { print scalar grep { $_->{verdict} =~ /REPRODUCED/ } @claims; exit }
my @words = grep { $n{$_} } 'REPRODUCED', 'REPRODUCED (direction)', 'REANALYSED', 'TRANSFERRED', 'NOT REPRODUCED',
    'INCONCLUSIVE', 'INVALID', 'NOT MEASURED';
my @parts = map { "$n{$_} $_" } @words;
$parts[0] =~ s{ }{$n{$words[0]} == 1 ? ' is ' : ' are '}e;
my $last = pop @parts;
print 'Of the ' . @claims . ' claims ' . (@parts ? join(', ', @parts) . " and $last" : $last);
