# SPDX-License-Identifier: Apache-2.0
# Words: one word for one concept. The words of HACKING.md's table are those of the code, and the words that they
# replaced are gone from names, comments, messages and pages.
package Words;
use strict;
use warnings;
use Exporter 'import';
use Tree;
our @EXPORT = qw(check_glossary check_gone);

# Words that are gone and what to say instead of each. A word may be a few, joined by '-'.
#   $everywhere  a private word: it stands nowhere
#   $names       an English word: it is no part of an identifier or of a string that is one, but prose may use it
#   $modules     a standard term of something else: no C file is called so, and no struct, union or enum of a header
my $everywhere = <<'END';
shoot-out finalist podium   re-timing, retimed program (key retime_top), retimed programs
rehearsal twin              null pair, null pair
calm warrant                noise floor, validity
A/A-floor                   noise floor
entrant                     arm
bulletin                    comparison
regret                      selection loss, exploration loss
shortage                    few records
chase climb                 time to target, best-so-far curve
outlook                     power
dossier docket exhibit      released_text, claims_tap, claim lookup
assay scene annex           confidence, comparison charts, html_report
crew ledger kin             worker_pool, measured_set, stage_query or same
lottery raster lattice      knob_random, knob_grid, knob_space
tracer retrace contiguity   trace_space, trace_knobs, max_fusible
lineage creature            trace_evolution, individual
nursery staff obituary      fork_server, worker_handle, cause of death
survey graft                tile_analysis, apply_stage
vigil rogue filler          nightly_sim, fault_target, store_fixture
searcher:-retime            searcher: remeasure
END

my $names = <<'END';
winner final aside          retimed program, re-timing, adopt
contest                     comparison
elite                       top_k
weigh                       nightly_compare
toy                         fake_plugins
END

my $modules = <<'END';
again others guess          re-timing, cpu_contention, infer_task
side standing suspect       arm_result, confidence, outlier
suite roof page judge       paper_networks, roofline, html_report, evaluate
relay fence bench           reference_cache, guard_pages, task_data
form lane outline           index_value, emit_expr, emit_function
accumulator sink statement  register_tile, tile_rewrite, emit_stmt
family facts formula        dag_cache, access_analysis, dag_print
strip walk quota pack       interp_expr, interp_nest, gpu_verify, layout_rewrite
quotient boost uniform jam  affine_div, gbdt, random, unroll_jam
chances deviate             chi_square, statistical test
END

# Where a word stays, and why: [word, paths, reason].
my $below = qr{^(?:search|models|targets|harness/(?:base|stats|program|plug|measure)
    |tests/(?:lib|unit/(?:base|stats|program|plug|measure|search|models|targets)))/}x;
my @stays = (
    ['winner',   $below,                          'of a search, not of a campaign'],
    ['final',    $below,                          'last, not timed again'],
    ['final',    qr{^harness/record/tvm/tir_module\.c$}, 'a field of what TVM saves'],
    ['weigh',    $below,                          'to give a weight'],
    ['elite',    qr{^search/exploit/genetic\.c$}, 'the term of genetic algorithms, and a setting'],
    ['bench',    qr{^harness/cli/verbs/bench\.c$}, 'the name that users type'],
);

# A line that tells of the past may use its words: it, or the line above, says so. A kind of report keeps its name.
my $excused = qr/formerly|now called|hashed_as|"contest"/i;

# What a word is found by, however it is joined, be it one or many.
sub key { my ($word) = @_; $word = lc $word; $word =~ s{[\s*#/_-]+}{}g; $word =~ s/s$//; return $word }

my (%row, %rows_of);
for (['everywhere', $everywhere], ['names', $names], ['modules', $modules]) {
    my ($scope, $table) = @$_;
    for (split /\n/, $table) {
        my ($list, $instead) = /^(.*?)\s{2,}(.*)$/;
        my @words = split ' ', $list;
        my @say = @words > 1 ? split /, /, $instead : $instead;
        for my $word (@words) {
            my $say = shift @say;
            my ($part) = sort { length $b <=> length $a } split m{[^a-z]+}, lc $word; # a text with the word has it
            my $row = { word => $word, part => $part, pattern => word_pattern($word), scope => $scope, say => $say };
            $row{ key($word) } = $row;
            push @{ $rows_of{$scope} }, $row;
        }
    }
}

sub stays { my ($word, $file) = @_; return grep { $_->[0] eq $word && $file =~ $_->[1] } @stays }

# One breach for each word of the scope that the text holds: the first place, and how many there are.
sub words_in {
    my ($file, $text, $scope, $lines) = @_;
    my @breaches;
    for my $row (grep { index($text, $_->{part}) >= 0 } @{ $rows_of{$scope} }) {
        my ($n, $at, $first, $count) = (1, 0, 0, 0);
        while ($text =~ /$row->{pattern}/g) {
            $n += substr($text, $at, $-[0] - $at) =~ tr/\n//;
            $at = $-[0];
            next if join(' ', @$lines[($n > 1 ? $n - 2 : 0) .. $n - 1]) =~ $excused || stays($row->{word}, $file);
            $first ||= $n;
            $count++;
        }
        my $times = $count > 1 ? " ($count times)" : '';
        push @breaches, ['words', "$file:$first", "'$row->{word}'$times: say $row->{say}"] if $first;
    }
    return @breaches;
}

# A file's or a tag's own name.
sub name_breach {
    my ($where, $what, $name) = @_;
    my $row = $row{ key($name) };
    return if !$row || $row->{scope} eq 'modules' && lc $name ne $row->{word};
    return if stays($row->{word}, $where);
    return ['words', $where, "$what $name: say $row->{say}"];
}

sub check_gone {
    my ($tree) = @_;
    my @breaches;
    for my $file (grep { $tree->{$_}{kind} ne 'data' && !m{^tests/lint/} } sort keys %$tree) {
        my $one = $tree->{$file};
        push @breaches, words_in($file, lc $one->{text}, 'everywhere', $one->{lines});
        next if $one->{kind} ne 'c';
        push @breaches, words_in($file, lc $one->{code}, 'names', $one->{lines});
        push @breaches, name_breach($file, 'a file', $1) if $file =~ m{([^/.]+)\.\w+$};
        next if $file !~ /\.h$/;
        my $n = 0;
        for (split /\n/, $one->{code}) {
            $n++;
            push @breaches, name_breach("$file:$n", $1, $2) while /\b(struct|enum|union)\s+(\w+)\s*\{/g;
        }
    }
    return @breaches;
}

# Each word of HACKING.md's table stands in the code, as it is written there or joined by '_' or '-'.
sub check_glossary {
    my ($tree) = @_;
    return if !$tree->{'HACKING.md'};
    my $code = lc join "\n", map { $tree->{$_}{text} } grep { $tree->{$_}{kind} eq 'c' } sort keys %$tree;
    my ($n, $inside, @breaches) = (0, 0);
    for (@{ $tree->{'HACKING.md'}{lines} }) {
        $n++;
        $inside = /^#+ Words\b/ if /^#/;
        next if !$inside || !/^\|\s*([^|]+?)\s*\|/ || $1 eq 'word' || $1 =~ /^-+$/;
        for my $word (split /\s*,\s*/, $1) {
            $word =~ tr/`*//d;
            my $pattern = word_pattern($word);
            push @breaches, ['glossary', "HACKING.md:$n", "'$word' stands nowhere in the code"] if $code !~ $pattern;
        }
    }
    return @breaches;
}

1;
