# SPDX-License-Identifier: Apache-2.0
# Tree: the files of a checkout, read once. A C file is cut into code, comments and strings, its functions and
# includes are found. All other checks read this and never a file. Paths are relative to the current folder, the root
# of the checkout.
package Tree;
use strict;
use warnings;
use Cwd qw(getcwd abs_path);
use Exporter 'import';
our @EXPORT = qw(tree_list tree_read tree_arrows tree_pieces sentence_at word_pattern);

# The paths of a checkout: what git holds or would add, or all that is there where git does not know this folder (an
# unpacked tarball).
sub tree_list {
    my $top = `git rev-parse --show-toplevel 2>/dev/null` // '';
    chomp $top;
    my $known = length $top && abs_path($top) eq getcwd();
    my $list = $known ? 'git ls-files --cached --others --exclude-standard' : "find . -type f -not -path './build/*'";
    my %paths = map { s{^\./}{}r => 1 } split /\n/, `$list`;
    return sort grep { -f } keys %paths;
}

# What a file is: 'c', 'script' (comments begin with #), 'page' (Markdown), or 'data', which only few checks look at.
sub kind_of {
    my ($file) = @_;
    return 'data' if $file =~ m{^(?:LICENSE$|tests/corpus/)} || $file =~ m{^results/} && $file !~ /\.md$/;
    return 'c' if $file =~ /\.[ch]$/;
    return 'page' if $file =~ /\.md$/;
    return 'script' if $file =~ m{\.(?:sh|bash|pl|pm|py|gp|ya?ml)$|(?:^|/)(?:Makefile|must_run)$|^\.ci/|^\.clang-};
    return 'data';
}

sub blank { my ($s) = @_; return "\n" x ($s =~ tr/\n//) }

# Cuts C text: code on the same lines with blank comments and empty strings (one that is a name stays), and the
# comments and strings as [line, text]. Literals that follow one another are one string.
sub cut {
    my ($text) = @_;
    my ($code, @comments, @strings) = ('');
    my ($at, $line) = (0, 1);
    while ($text =~ m{/\*.*?\*/|//[^\n]*|(?:"(?:\\.|[^"\\\n])*"[ \t\n]*)+|'(?:\\.|[^'\\\n])+'}gs) {
        my ($from, $to, $token) = ($-[0], $+[0], $&);
        my $before = substr $text, $at, $from - $at;
        $line += $before =~ tr/\n//;
        $code .= $before;
        if ($token =~ m{^/}) {
            my $said = $token;
            $said =~ s{^/[*/]|\*/$}{}g;
            $said =~ s{\n[ \t]*\*(?=[ \t\n])}{\n}g;
            push @comments, [$line, $said];
            $code .= ' ' . blank($token);
        } elsif ($token =~ /^"/) {
            my $said = $token;
            $said =~ s/"([ \t\n]*)"/blank($1)/ge;
            $said =~ s/^"|"\s*$//g;
            push @strings, [$line, $said] if $before !~ /#\s*include\s*$/;
            $code .= ($said =~ /^\w+$/ ? "\"$said\"" : '""') . blank($token);
        } else {
            $code .= "'c'";
        }
        $line += $token =~ tr/\n//;
        $at = $to;
    }
    return ($code . substr($text, $at), \@comments, \@strings);
}

# The functions of cut code: a body opens with '{' alone in column 0. `lines` counts the body without its braces.
sub functions {
    my ($code) = @_;
    my ($n, $open, @head, @found) = (0);
    for (split /\n/, $code) {
        $n++;
        if (/^\{\s*$/) {
            $open = $n;
        } elsif (/^\}/) {
            if ($open) {
                my $head = join ' ', @head;
                $head =~ s/__attribute__\s*\(\(.*?\)\)//g;
                my ($name, $list) = $head =~ /(\w+)\s*\((.*)\)/ ? ($1, $2) : ('?', '');
                1 while $list =~ s/\([^()]*\)//g;
                my $parameters = $list =~ /^\s*(?:void)?\s*$/ ? 0 : 1 + ($list =~ tr/,//);
                push @found, { name => $name, line => $open, lines => $n - $open - 1, parameters => $parameters,
                    static => $head =~ /\bstatic\b/ ? 1 : 0 };
            }
            ($open, @head) = (0);
        } elsif (!$open) {
            if (/^\s*(?:#|$)|;\s*$/) { @head = () } else { push @head, $_ }
        }
    }
    return \@found;
}

# One file: its kind and lines; of C also code, comments, strings, functions and includes ([line, path]).
sub read_one {
    my ($file) = @_;
    open my $in, '<', $file or die "cannot read $file: $!\n";
    local $/;
    my $text = <$in> // '';
    my $kind = kind_of($file);
    utf8::decode($text) if $kind eq 'page';
    my %one = (kind => $kind, lines => [split /\n/, $text], text => $text);
    return \%one if $one{kind} ne 'c';
    @one{qw(code comments strings)} = cut($text);
    $one{functions} = functions($one{code});
    for my $n (1 .. @{ $one{lines} }) {
        push @{ $one{includes} }, [$n, $1] if $one{lines}[$n - 1] =~ /^\s*#\s*include\s+"([^"]+)"/;
    }
    return \%one;
}

# All files but pictures, tables, databases and what is no text.
sub tree_read {
    my %tree;
    for my $file (@_) {
        next if $file =~ /\.(?:svg|png|tsv|db)$/ || -s $file && -B $file;
        $tree{$file} = read_one($file);
    }
    return \%tree;
}

# The functions that a header declares, as [line, name].
sub declared {
    my ($code) = @_;
    my @found;
    while ($code =~ /^(?=[A-Za-z_])(?!typedef\b|static\b)[\w \t\n*]*?\b(\w+)\((?:[^()]|\([^()]*\))*\)[^;{]*;/gm) {
        push @found, [1 + (substr($code, 0, $-[1]) =~ tr/\n//), $1];
    }
    return @found;
}

# The arrows between modules: from -> to -> the places. A module is x.c with x.h. A header without a .c is one module
# with those that define its functions. An include is an arrow, and so is a header's declaration of another module's
# function.
sub tree_arrows {
    my ($tree) = @_;
    my (%defines, %whole, @declarations, %arrows);
    for my $file (grep { /\.c$/ && !m{^tests/unit/} } sort keys %$tree) {
        $defines{ $_->{name} } //= $file =~ s/\.c$//r for grep { !$_->{static} } @{ $tree->{$file}{functions} };
    }
    for my $header (grep { /\.h$/ } sort keys %$tree) {
        my $module = $header =~ s/\.h$//r;
        for (declared($tree->{$header}{code})) {
            my $to = $defines{ $_->[1] } // next;
            if ($tree->{"$module.c"}) { push @declarations, [$module, $to, "$header:$_->[0]"] }
            else { $whole{$to} //= $module }
        }
    }
    my $arrow = sub {
        my ($from, $to, $where) = map { $whole{$_} // $_ } @_;
        push @{ $arrows{$from}{$to} }, $where if $to ne $from;
    };
    for my $file (grep { $tree->{$_}{kind} eq 'c' } sort keys %$tree) {
        my $from = $file =~ s/\.[ch]$//r;
        $arrows{ $whole{$from} // $from } //= {};
        $arrow->($from, $_->[1] =~ s/\.h$//r, "$file:$_->[0]")
            for grep { $tree->{ $_->[1] } } @{ $tree->{$file}{includes} // [] };
    }
    $arrow->(@$_) for @declarations;
    return \%arrows;
}

# The comments of a script; lines of comment that follow one another are one.
sub script_comments {
    my ($lines) = @_;
    my (@found, $joins);
    for my $n (1 .. @$lines) {
        my $line = $lines->[$n - 1];
        if ($line !~ /^(?:.*?\s)??#+(?!!)(?=\s|$)(.*)/) { $joins = 0; next }
        my $said = $1;
        my $alone = $line =~ /^\s*#/;
        if ($joins && $alone) { $found[-1][1] .= "\n$said" } else { push @found, [$n, $said] }
        $joins = $alone;
    }
    return @found;
}

# What a script prints: the quoted text on a line that says so.
sub script_messages {
    my ($lines) = @_;
    my @found;
    for my $n (1 .. @$lines) {
        next if $lines->[$n - 1] !~ /\b(?:echo|printf?|die|warn|say)\b/;
        push @found, [$n, $1 // $2] while $lines->[$n - 1] =~ /"((?:\\.|[^"\\])+)"|'([^']+)'/g;
    }
    return @found;
}

# What people read in a file, as [line, text, what]: comments, strings of C, messages of scripts; each paragraph,
# table row and entry of a list of a page. The lines of a text follow one another from its line on.
sub tree_pieces {
    my ($one) = @_;
    if ($one->{kind} eq 'c') {
        return map({ [@$_, 'comment'] } @{ $one->{comments} }), map({ [@$_, 'string'] } @{ $one->{strings} });
    }
    if ($one->{kind} eq 'script') {
        my $lines = $one->{lines};
        return map({ [@$_, 'comment'] } script_comments($lines)), map({ [@$_, 'string'] } script_messages($lines));
    }
    return () if $one->{kind} ne 'page';
    my (@found, $open);
    for my $n (1 .. @{ $one->{lines} }) {
        my $line = $one->{lines}[$n - 1];
        $open = 0, next if $line =~ /^\s*$/;
        if ($open && $line !~ /^\s*(?:[-*|#]|\d+\.)\s?/) {
            $found[-1][1] .= "\n$line";
        } else {
            push @found, [$n, $line, 'page'];
        }
        $open = 1;
    }
    return @found;
}

# The sentence of a text that holds the position.
sub sentence_at {
    my ($text, $at) = @_;
    my $from = 0;
    while ($text =~ /[.!?:;][)"'`*]*\s+|\n\s*\n/g) {
        my $end = pos $text;
        next if $& =~ /^[:;]/ || substr($text, $end) =~ /^[a-z]/;
        return substr $text, $from, $end - $from if $end > $at;
        $from = $end;
    }
    return substr $text, $from;
}

# A pattern for a word, or for a few: between them stand spaces (a new line of a comment, too), '-', '/', '_' or
# nothing. An s at the end is let pass. Neither side goes on with a letter or digit ('_' ends a word, so a part of an
# identifier is one).
sub word_pattern {
    my ($word) = @_;
    my $between = '[-_/]?[\s*#]*';
    my $body = join $between, map { quotemeta } split m{[-/_ ]+}, lc $word;
    $body .= 's?' if $body !~ /s$/;
    return qr/(?<![a-z0-9])$body(?![a-z0-9])/;
}

1;
