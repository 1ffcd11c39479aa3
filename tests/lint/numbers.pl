#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# numbers: the size of a checkout in one block: `perl tests/lint/numbers.pl [CHECKOUT]`. `make lint` ends with it. A
# line of a function is one of its body; a module is x.c with x.h; program means all C outside of tests.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Pages;
use Rooms;
use TestNames;
use Tree;

binmode STDOUT, ':encoding(UTF-8)';
chdir $ARGV[0] or die "numbers: $ARGV[0]: $!\n" if @ARGV;
my @files = tree_list();
my %paths = map { $_ => 1 } @files;
my $tree = tree_read(@files);
my @c = grep { $tree->{$_}{kind} eq 'c' } sort keys %$tree;

sub line { my ($what, $format, @values) = @_; printf "  %-18s $format\n", $what, @values }

sub functions_of {
    my ($what, @of) = @_;
    my @found = map { my $file = $_; map { { %$_, file => $file } } @{ $tree->{$file}{functions} } } @of;
    my @lines = sort { $a->{lines} <=> $b->{lines} } @found or return;
    my $most = $lines[-1];
    line($what, '%d; lines: median %d, p90 %d, max %d (%s, %s); %d with 8 parameters or more', scalar @lines,
        $lines[@lines / 2]{lines}, $lines[ @lines * 0.9 ]{lines}, $most->{lines}, $most->{name}, $most->{file},
        scalar grep { $_->{parameters} >= 8 } @found);
}

sub files_of {
    my ($what, @of) = @_;
    my $sum = 0;
    $sum += @{ $tree->{$_}{lines} } for @of;
    line($what, '%d, %d lines', scalar @of, $sum);
}

my @program = grep { !m{^tests/} } @c;
my @tests = grep { m{^tests/} } @c;
my @pages = grep { $tree->{$_}{kind} eq 'page' } sort keys %$tree;
print "numbers:\n";
functions_of('functions', @program);
functions_of('  of tests', @tests);
files_of('C files', @program);
files_of('  of tests', @tests);
files_of('pages', @pages);

my ($longest) = sort { @{ $tree->{$b}{lines} } <=> @{ $tree->{$a}{lines} } || $a cmp $b } @c;
line('longest C file', '%d lines (%s)', scalar @{ $tree->{$longest}{lines} }, $longest) if $longest;
my $modules = modules_of_folders($tree);
my @folders = sort { $modules->{$b} <=> $modules->{$a} || $a cmp $b } keys %$modules;
line('modules a folder', '%s', join ', ', map { "$_ $modules->{$_}" } grep { defined } @folders[0 .. 2]);
my @cycles = cycles(tree_arrows($tree));
my $in = 0;
$in += @$_ for @cycles;
line('module cycles', '%d', scalar @cycles) if !@cycles;
line('module cycles', '%d (of %d modules)', scalar @cycles, $in) if @cycles;
line('dead citations', '%d', scalar(my @dead = (check_citations($tree, \%paths), check_links($tree, \%paths))));

my ($columns, $where) = (0, '');
for my $file (@pages) {
    for (widths($tree->{$file})) { ($columns, $where) = ($_->[2], "$file:$_->[0]") if $_->[2] > $columns }
}
line('longest prose', '%d columns (%s)', $columns, $where);

my @names = test_names($tree);
line('test names', '%d; %d say nothing alone in a log', scalar @names, scalar grep { $_->[3] } @names);
