# SPDX-License-Identifier: Apache-2.0
# Code: the first line of a file, lengths, where randomness and time come from, names that are unique in the tree.
package Code;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(check_heads check_lengths check_sources check_tags check_symbols);

my ($FILE_WALL, $FUNCTION_WALL, $PARAMETER_WALL) = (600, 80, 7);

# The licence on the first line (the second after #!), no white space at the end, no path of one machine.
sub check_heads {
    my ($tree) = @_;
    my @breaches;
    for my $file (sort keys %$tree) {
        my ($kind, @lines) = ($tree->{$file}{kind}, @{ $tree->{$file}{lines} });
        my $marked = $kind eq 'c' || $kind eq 'script';
        push @breaches, ['heads', "$file:1", 'no SPDX-License-Identifier: Apache-2.0 on the first line']
            if $marked && join('', map { $lines[$_] // '' } 0, 1) !~ /SPDX-License-Identifier: Apache-2\.0/;
        for my $n (1 .. @lines) {
            push @breaches, ['heads', "$file:$n", 'names a path of one machine']
                if $lines[$n - 1] =~ m{(?<![\w.])/(?:work|root|home)/};
            push @breaches, ['heads', "$file:$n", 'white space at the end'] if $marked && $lines[$n - 1] =~ /[ \t]+$/;
        }
    }
    return @breaches;
}

# Lines of a file that people write, lines and parameters of a function (in tests as many as their formulas have).
sub check_lengths {
    my ($tree) = @_;
    my @breaches;
    for my $file (sort keys %$tree) {
        my $one = $tree->{$file};
        my $n = @{ $one->{lines} };
        push @breaches, ['lengths', "$file:$n", "$n lines, the wall is $FILE_WALL"]
            if $file !~ m{\.ya?ml$|^harness/doc/(?:json|keys)\.md$} && $one->{kind} ne 'data' && $n > $FILE_WALL;
        for (@{ $one->{functions} // [] }) {
            my $what = "$_->{name} has $_->{lines} lines, the wall is $FUNCTION_WALL";
            push @breaches, ['lengths', "$file:$_->{line}", $what] if $_->{lines} > $FUNCTION_WALL;
            $what = "$_->{name} has $_->{parameters} parameters, the wall is $PARAMETER_WALL: a struct";
            push @breaches, ['parameters', "$file:$_->{line}", $what]
                if $_->{parameters} > $PARAMETER_WALL && $file !~ m{^tests/};
        }
    }
    return @breaches;
}

sub check_sources {
    my ($tree) = @_;
    my @breaches;
    for my $file (grep { $tree->{$_}{kind} eq 'c' } sort keys %$tree) {
        my $n = 0;
        for (split /\n/, $tree->{$file}{code}) {
            $n++;
            push @breaches, ['sources', "$file:$n", 'a struct is not hidden behind a typedef']
                if /^\s*typedef\s+struct\b/;
            next if $file =~ m{^harness/base/};
            push @breaches, ['sources', "$file:$n", 'randomness comes from base/rng']
                if m{(?<![\w.>/])(?:s?rand|s?random|drand48|rand_r)\(};
            push @breaches, ['sources', "$file:$n", 'time comes from base/clock']
                if m{(?<![\w.>/])(?:time|gettimeofday|clock_gettime|nanosleep|usleep|sleep)\((?!void)};
        }
    }
    return @breaches;
}

# A tag that a header defines is defined nowhere else.
sub check_tags {
    my ($tree) = @_;
    my (%public, %defined, @breaches);
    for my $file (grep { $tree->{$_}{kind} eq 'c' } sort keys %$tree) {
        my $n = 0;
        for (split /\n/, $tree->{$file}{code}) {
            $n++;
            while (/\b(struct|union|enum)\s+(\w+)\s*\{/g) {
                my ($what, $tag) = ($1, $2);
                push @{ $defined{$tag} }, ["$file:$n", "$what $tag"];
                $public{$tag} //= "$file:$n" if $file =~ /\.h$/;
            }
        }
    }
    for my $tag (sort keys %public) {
        push @breaches, ['tags', $_->[0], "$_->[1]: $public{$tag} defines this tag for all"]
            for grep { $_->[0] ne $public{$tag} } @{ $defined{$tag} };
    }
    return @breaches;
}

# A function that is not static has a name of its own. A test program may put its own in the place of the real one.
sub check_symbols {
    my ($tree) = @_;
    my (%first, @breaches);
    for my $file (grep { /\.c$/ && !m{^tests/unit/} } sort keys %$tree) {
        my %here;
        for (grep { !$_->{static} && $_->{name} !~ /^(?:main|LLVMFuzzer\w+)$/ } @{ $tree->{$file}{functions} }) {
            next if $here{ $_->{name} }++; # the other branch of an #ifdef
            my $seen = $first{ $_->{name} };
            push @breaches, ['symbols', "$file:$_->{line}", "$_->{name} is defined at $seen, too"] if $seen;
            $first{ $_->{name} } //= "$file:$_->{line}";
        }
    }
    return @breaches;
}

1;
