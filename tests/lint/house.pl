#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# house: the rules of the house that no compiler checks, over the checkout in the current folder. One line for each
# breach, `file:line: what`, then a table of breaches by room and kind; status 1 if there are any. With paths as
# arguments only the breaches below them are told. The checks are in the modules beside this file, one subject each.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Code;
use Pages;
use Rooms;
use TestNames;
use Tree;
use Words;

my @files = tree_list();
my %paths = map { $_ => 1 } @files;
my $tree = tree_read(@files);
my @breaches = map { $_->($tree, \%paths) } \&check_heads, \&check_lengths, \&check_sources, \&check_edges,
    \&check_folders, \&check_cycles, \&check_tags, \&check_symbols, \&check_plugins, \&check_citations, \&check_links,
    \&check_entries, \&check_names, \&check_width, \&check_glossary, \&check_gone, \&check_test_names;

sub asked { my ($where) = @_; return !@ARGV || grep { index($where, $_) == 0 } @ARGV }
@breaches = grep { asked($_->[1]) } @breaches;

my (%count, %kinds);
for (@breaches) {
    my ($kind, $where, $what) = @$_;
    my ($room) = $where =~ m{^((?:[^/:]+/){0,2})[^/:]*};
    $room = $1 if $where =~ m{^(tests/unit/[^/]+/|harness/(?:program|record|report)/[^/]+/|targets/cpu/[^/]+/)};
    $count{$room}{$kind}++;
    $kinds{$kind}++;
    print "$where: $what\n";
}
if (@breaches) {
    print "\nbreaches by room and kind:\n";
    for my $room (sort keys %count) {
        my $of = $count{$room};
        printf "  %-28s %s\n", $room || '(root)', join ', ', map { "$of->{$_} $_" } sort keys %$of;
    }
    printf "  %-28s %s\n", 'all', join ', ', map { "$kinds{$_} $_" } sort keys %kinds;
}
exit(@breaches ? 1 : 0);
