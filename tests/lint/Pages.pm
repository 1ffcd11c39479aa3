# SPDX-License-Identifier: Apache-2.0
# Pages: the width of prose, and citations: each file that a comment, a message or a page names must
# be there, what a page links to, and what stands in backticks.
package Pages;
use strict;
use warnings;
use Exporter 'import';
use Tree;
our @EXPORT = qw(check_width check_citations check_links check_entries check_names widths);

my $WIDTH = 100;

# Files that people name and that are not in the tree. Each pattern has its reason.
my @elsewhere = (
    [qr{(?:^|/)(?:my\w+|mine|yours|noun|x)\.\w+$}, 'stands for a file of the reader'],
    [qr{^a/b/c\.yaml$},                     'an example of a path'],
    [qr{(?:^|/)ARTIFACT\.md$},              'packages hold it: .ci/package'],
    [qr{^revision\.h$},                     'the build makes it'],
    [qr{^\w+(?:\.\w+)+/},                   'an address in the web'],
);

# A sentence with one of these names speaks of that project's files, unless they are pages or experiments.
my $projects = qr{\b(?:TVM|AutoTVM|bennu|topi|torchvision|LLVM|XGBoost|oneDNN|glibc|Cephes
    |(?=[a-f]*\d)[0-9a-f]{7,40})\b}ix;
my $ends = qr{md|c|h|sh|bash|ya?ml|pl|pm|gp};
my $named = qr{(?<![\w\]\)\$%\}/.>*~-])(?<!\]\()([A-Za-z<*.][\w.\-+*<>/]*\.(?:$ends))(?![\w(/%\$>]|\.\w)};

# What may be wider than prose where it is all of a line: an address, or a link or picture.
my $link = qr/\[[^\]]*\]:\s*\S+|<?https?:\S+|!?\[(?:[^\]]|\]\([^)]*\)\])*\]\([^)]*\)/;

# The lines of prose of a page, as [line, text, columns]: no tables, no code, no lines that are one link.
sub widths {
    my ($one) = @_;
    my ($fenced, $before, $code, @found) = (0, '', 0);
    for my $n (1 .. @{ $one->{lines} }) {
        my $line = $one->{lines}[$n - 1];
        $fenced = !$fenced, next if $line =~ /^\s*(?:```|~~~)/;
        $code = $line =~ /^(?: {4}|\t)/ && ($before =~ /^\s*$/ || $code) || $line =~ /^\s*$/ && $code;
        $before = $line;
        next if $fenced || $code || $line =~ /^\s*\|/;
        next if $line =~ /^\s*(?:[-*]\s+)?(?:$link)[.,;]?\s*$/;
        push @found, [$n, $line, length $line];
    }
    return @found;
}

sub check_width {
    my ($tree) = @_;
    my @breaches;
    for my $file (grep { $tree->{$_}{kind} eq 'page' } sort keys %$tree) {
        push @breaches, ['prose', "$file:$_->[0]", "a line of $_->[2] columns, the wall is $WIDTH"]
            for grep { $_->[2] > $WIDTH } widths($tree->{$file});
    }
    return @breaches;
}

sub folder { my ($path) = @_; return $path =~ m{^(.*)/} ? "$1/" : '' }

# A path without its `..`.
sub plain {
    my ($path) = @_;
    1 while $path =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\.(?:/|$)}{};
    $path =~ s{/$}{};
    return $path;
}

# Nothing if the named file is there: by its path from the root or from the folder of the file that names it, or by
# its end where that is unique, or unique outside of tests. <noun> and * stand for anything. Else what is wrong.
sub missing {
    my ($paths, $name, $from) = @_;
    $name =~ s{^\./}{};
    if ($name =~ /[<*]/) {
        (my $glob = $name) =~ s/<[^>]*>/*/g;
        my $pattern = join '[^/]*', map { quotemeta } split /\*/, $glob, -1;
        return (grep { m{(?:^|/)$pattern$} } keys %$paths) ? undef : 'no file is named so';
    }
    return if $paths->{$name} || $paths->{ plain(folder($from) . $name) };
    my @ends = grep { m{/\Q$name\E$} } sort keys %$paths;
    my @program = grep { !m{^tests/} } @ends;
    return if @ends == 1 || @program == 1;
    return @ends ? 'may be any of ' . join(', ', @ends[0 .. ($#ends < 2 ? $#ends : 2)]) : 'there is no such file';
}

sub is_elsewhere {
    my ($name, $text, $at) = @_;
    return 1 if grep { $name =~ $_->[0] } @elsewhere;
    return $name !~ /\.(?:md|ya?ml)$/ && sentence_at($text, $at) =~ $projects;
}

sub headings { my ($one) = @_; return map { /^#+\s+(.*?)\s*$/ ? $1 : () } @{ $one->{lines} } }

# The section that is cited after the name of a page: `, "Heading"`, or a number as in `3.2`, `section 3` or `A4`.
sub section_after {
    my ($text) = @_;
    if (my ($heading) = $text =~ /^`?,\s+"([^"]+)"/) {
        $heading =~ s/\s+/ /g;
        return $heading;
    }
    my ($said, $number) = $text =~ /^`?,?\s+(sections?\s+)?(\d+(?:\.\d+)*|[A-Z]\d+)\b/ or return;
    return $said || $number =~ /[A-Z.]/ || $number < 20 ? $number : undef;
}

# Citations of files; those of a section, `page.md, "Heading"`, name a heading that is there. Strings of tests are
# data.
sub check_citations {
    my ($tree, $paths) = @_;
    my (@breaches, %known);
    for my $file (grep { !m{^tests/lint/} } sort keys %$tree) {
        for (tree_pieces($tree->{$file})) {
            my ($line, $text, $what) = @$_;
            next if $what eq 'string' && $file =~ m{^tests/} || $text !~ /\.(?:$ends)\b/;
            while ($text =~ /$named/g) {
                my ($name, $at, $end) = ($1, $-[1], $+[1]);
                my $where = "$file:" . ($line + (substr($text, 0, $at) =~ tr/\n//));
                my $wrong = $known{ folder($file) }{$name} //= missing($paths, $name, $file) // '';
                if ($wrong) {
                    push @breaches, ['citations', $where, "$name: $wrong"] if !is_elsewhere($name, $text, $at);
                } elsif ($name =~ /\.md$/ && (my $section = section_after(substr $text, $end))) {
                    my @ends = grep { m{/\Q$name\E$} } keys %$tree;
                    my ($page) = grep { $tree->{$_} } $name, plain(folder($file) . $name), @ends;
                    push @breaches, ['citations', $where, "$name has no section $section"]
                        if $page && !grep { $_ eq $section || /^\Q$section\E\.?(?:\s|$)/ } headings($tree->{$page});
                }
            }
        }
    }
    return @breaches;
}

# The name by which a page's link reaches a heading.
sub anchor { my ($s) = @_; $s = lc $s; $s =~ s/[^\w\- ]//g; $s =~ tr/ /-/; return $s }

# Links within the tree lead to a file, a folder or a heading that is there.
sub check_links {
    my ($tree, $paths) = @_;
    my %there = %$paths;
    for my $path (keys %$paths) { while ($path =~ s{/[^/]+$}{}) { $there{$path} = 1 } }
    my @breaches;
    for my $file (grep { $tree->{$_}{kind} eq 'page' } sort keys %$tree) {
        my $n = 0;
        for my $line (@{ $tree->{$file}{lines} }) {
            $n++;
            while ($line =~ /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g) {
                my ($to, $anchor) = ($1, $2);
                next if $to =~ /^\w+:/;
                my $path = length $to ? plain(folder($file) . $to) : $file;
                if (length $path && !$there{$path}) {
                    push @breaches, ['citations', "$file:$n", "a link to $to: there is no such file"];
                } elsif (defined $anchor && $tree->{$path}) {
                    next if grep { anchor($_) eq $anchor } headings($tree->{$path});
                    push @breaches, ['citations', "$file:$n", "a link to $to#$anchor: there is no such heading"];
                }
            }
        }
    }
    return @breaches;
}

# A list or table of a folder's README whose first names are mostly of files below the folder is one of files: all its
# first names, and those before a colon, must be so.
sub check_entries {
    my ($tree, $paths) = @_;
    my @breaches;
    for my $file (grep { m{/README\.md$} } sort keys %$tree) {
        my ($below, %there) = folder($file);
        for my $path (grep { index($_, $below) == 0 } keys %$paths) {
            my $end = substr $path, length $below;
            do { @there{ $end, $end =~ s{\.\w+$}{}r } = (1, 1) } while $end =~ s{/[^/]+$}{};
        }
        my (@entries, $n);
        for my $line (@{ $tree->{$file}{lines} }, '') {
            $n++;
            my @names = $line =~ /^[-|]\s((?:`[\w.\/-]+`(?:, |(?=:| \|)))+)/ ? $1 =~ /`([^`]+)`/g : ();
            push @names, $line =~ /\. `([\w-]+)`:/g;
            push @entries, map { [$n, $_] } @names;
            next if $line =~ /\S/;
            my @gone = grep { !$there{ $_->[1] =~ s{/$}{}r } } @entries;
            push @breaches, map { ['citations', "$file:$_->[0]", "`$_->[1]` is nothing below this folder"] } @gone
                if 2 * @gone < @entries;
            @entries = ();
        }
    }
    return @breaches;
}

# Names of two parts and more, `tile_rewrite`, and paths below a folder that is there: in a folder's README, in pages of
# the harness and in comments. Each is a file or folder (with or without its ending, by the end of its path), a word of a
# header, of a string, a script or an experiment, or a function, tag or macro that a .c file does not keep for itself.
# In pages and comments any word of code will do. What a sentence on another project names is let pass.
sub check_names {
    my ($tree, $paths) = @_;
    my (%known, %folders, %inside, @breaches);
    for my $path (keys %$paths) {
        do {
            my $end = $path;
            do { @known{ $end, $end =~ s{\.\w+$}{}r } = (1, 1) } while $end =~ s{^[^/]+/}{};
        } while $path =~ s{/[^/]+$}{} && ($folders{$path} = 1);
    }
    for my $file (grep { $tree->{$_}{kind} ne 'page' } keys %$tree) {
        my $one = $tree->{$file};
        my @texts = $one->{kind} ne 'c' ? grep { !/^\s*#/ } @{ $one->{lines} } : map { $_->[1] } @{ $one->{strings} };
        push @texts, $one->{code} if $file =~ /\.h$/;
        for (@texts) { @known{ /\w+/g } = () }
        next if $one->{kind} ne 'c';
        @known{ map { $_->{static} ? () : $_->{name} } @{ $one->{functions} } } = ();
        @known{ $one->{code} =~ /(?:\bstruct|\benum|#define)\s+(\w+)/g } = ();
        @inside{ $one->{code} =~ /\w+/g } = ();
    }
    for my $file (grep { m{\.[ch]$|/README\.md$|^harness/.*\.md$} } sort keys %$tree) {
        for (tree_pieces($tree->{$file})) {
            my ($line, $text, $what) = @$_;
            next if $what eq 'string';
            while ($text =~ m{(?<!`)`(?:\.\./)*([a-z0-9]+(?:[_/][a-z0-9]+)+)/?`(?!`)}g) {
                my ($name, $at) = ($1, $-[0]);
                next if exists $known{$name} || $file !~ /README/ && exists $inside{$name};
                next if $name =~ m{^(.*?)/} && !$folders{$1} && !$folders{ folder($file) . $1 };
                next if sentence_at($text, $at) =~ $projects;
                my $where = "$file:" . ($line + (substr($text, 0, $at) =~ tr/\n//));
                push @breaches, ['citations', $where, "`$name`: there is no such name"];
            }
        }
    }
    return @breaches;
}

1;
