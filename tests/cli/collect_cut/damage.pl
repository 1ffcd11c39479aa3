# SPDX-License-Identifier: Apache-2.0
# damage.pl HOW COMMAND...: damages the recording whole.rec in many ways and runs COMMAND --output FILE --resume on each.
# Status 0 when all went as they must; prints how many there were, and the first that did not.
#   bytes   cut in its last two lines, at every seventh byte and around their ends: the same file again
#   lines   cut behind every thirteenth line, and the last one: the same file again
#   flip    one bit flipped: refused with its line, and left as it is
#   part    one bit flipped in a recording without a last line: refused with its line and left as it is, or gone on with
use strict;
use warnings;

my ($how, @command) = @ARGV;
my $tried = 0;

sub slurp {
    open my $f, '<:raw', $_[0] or die "$_[0]: $!\n";
    local $/;
    return <$f> // '';
}

# What became of these bytes: "same", "other" (gone on with), "refused", or what is wrong.
sub try {
    my ($bytes) = @_;
    open my $to, '>:raw', 'one.rec' or die "one.rec: $!\n";
    print $to $bytes;
    close $to;
    my $pid = fork;
    if (!$pid) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', 'one.err';
        exec @command, '--output', 'one.rec', '--resume';
    }
    waitpid $pid, 0;
    my ($status, $is, $said) = ($?, slurp('one.rec'), slurp('one.err'));
    $tried++;
    return $is eq slurp('whole.rec') ? 'same' : 'other' if $status == 0;
    return "status $status: $said" if $status != 2 << 8 || $said !~ /one\.rec:\d+:/;
    return $is eq $bytes ? 'refused' : 'refused, but changed';
}

my $whole = slurp('whole.rec');
my @starts = (0); # of lines, and the end
push @starts, pos $whole while $whole =~ /\n/g;
my ($bad, $refused) = ('', 0);
if ($how eq 'bytes' || $how eq 'lines') {
    my @bytes = grep { my $at = $_; $at % 7 == 0 || grep { abs($at - $_) < 3 } @starts } $starts[-3] .. $starts[-1] - 1;
    my @lines = @starts[grep { $_ % 13 == 0 || $_ == $#starts - 1 } 1 .. $#starts - 1];
    for my $n ($how eq 'bytes' ? @bytes : @lines) {
        my $was = try(substr $whole, 0, $n);
        $bad ||= "cut behind byte $n of $starts[-1]: $was" if $was ne 'same';
    }
} else {
    my $end = $how eq 'flip' ? $starts[-1] : $starts[-2];
    srand 8;
    for (1 .. 40) {
        my ($at, $bit) = (int($starts[1] + rand($end - 1 - $starts[1])), 1 << int rand 8);
        my $flipped = substr $whole, 0, $end;
        substr($flipped, $at, 1) = chr(ord(substr $flipped, $at, 1) ^ $bit);
        my $was = try($flipped);
        $refused += $was eq 'refused';
        $bad ||= "bit $bit of byte $at: $was" if $was ne 'refused' && ($how eq 'flip' || $was !~ /^(same|other)$/);
    }
}
print "$tried tried", $refused ? ", $refused refused" : '', $bad ? ": $bad" : '', "\n";
exit($bad ? 1 : 0);
