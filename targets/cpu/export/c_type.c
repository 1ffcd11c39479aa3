/* SPDX-License-Identifier: Apache-2.0 */
/* c_type: names are handed out as they are asked for; the prelude then defines what was asked for. */
#include "targets/cpu/export/c_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *scalar, *is_signed, *vector, *signed_vector;
    int bytes;
} KINDS[] = {[C_F32] = {"float", "int32_t", "f32", "i32", 4},      [C_F64] = {"double", "int64_t", "f64", "i64", 8},
             [C_U8] = {"uint8_t", "int8_t", "u8", "i8", 1},        [C_U16] = {"uint16_t", "int16_t", "u16", "i16", 2},
             [C_U32] = {"uint32_t", "int32_t", "u32", "i32", 4},   [C_U64] = {"uint64_t", "int64_t", "u64", "i64", 8},
             [C_POINTER] = {"char *", "char *", "pointer", "", 8}, [C_VOID] = {"void", "void", "", "", 0}};

/* $T is the type, $H that of half as many lanes, $E its element, $N its lanes, $X an x for each, $L their numbers; $J
 * integers as wide as elements, $M and $I masks, unsigned and signed; $A addresses. */
static const struct {
    const char *name, *text;
} HELPERS[] = {
    {"all", "$T $T_all($E x)\n{\n    return ($T){$X};\n}\n"},
    {"set", "$T $T_set($T v, int lane, $E x)\n{\n    v[lane] = x;\n    return v;\n}\n"},
    {"select", "$T $T_select($M m, $T a, $T b)\n{\n    $J k = __builtin_convertvector(($I)m, $J);\n"
               "    return ($T)((k & ($J)a) | (~k & ($J)b));\n}\n"},
    {"max", "$T $T_max($T a, $T b)\n{\n    $J k = ($J)(a > b);\n    return ($T)((k & ($J)a) | (~k & ($J)b));\n}\n"},
    {"min", "$T $T_min($T a, $T b)\n{\n    $J k = ($J)(a < b);\n    return ($T)((k & ($J)a) | (~k & ($J)b));\n}\n"},
    {"join", "$T $T_join($H a, $H b)\n{\n    return __builtin_shufflevector(a, b$L);\n}\n"},
    {"load", "$T $T_load(const char *p, int n)\n{\n    $T v = {0};\n    for (int i = 0; i < n; i++) {\n"
             "        $E x;\n        __builtin_memcpy(&x, p + i * (int)sizeof x, sizeof x);\n        v[i] = x;\n    }\n"
             "    return v;\n}\n"},
    {"store", "void $T_store(char *p, $T v, int n)\n{\n    for (int i = 0; i < n; i++) {\n        $E x = v[i];\n"
              "        __builtin_memcpy(p + i * (int)sizeof x, &x, sizeof x);\n    }\n}\n"},
    {"masked_load", "$T $T_masked_load(const char *p, $M m, $T v)\n{\n    for (int i = 0; i < $N; i++)\n"
                    "        if (m[i]) {\n            $E x;\n            __builtin_memcpy(&x, p + i * (int)sizeof x, "
                    "sizeof x);\n            v[i] = x;\n        }\n    return v;\n}\n"},
    {"masked_store", "void $T_masked_store($T v, char *p, $M m)\n{\n    for (int i = 0; i < $N; i++)\n"
                     "        if (m[i]) {\n            $E x = v[i];\n            __builtin_memcpy(p + i * (int)sizeof "
                     "x, &x, sizeof x);\n        }\n}\n"},
    {"gather", "$T $T_gather($A p, $M m, $T v)\n{\n    for (int i = 0; i < $N; i++)\n        if (m[i]) {\n"
               "            $E x;\n            __builtin_memcpy(&x, (const char *)p[i], sizeof x);\n"
               "            v[i] = x;\n        }\n    return v;\n}\n"},
    {"scatter", "void $T_scatter($T v, $A p, $M m)\n{\n    for (int i = 0; i < $N; i++)\n        if (m[i]) {\n"
                "            $E x = v[i];\n            __builtin_memcpy((char *)p[i], &x, sizeof x);\n        }\n}\n"},
    {"map", "$T $T_map($E (*f)($E), $T v)\n{\n    for (int i = 0; i < $N; i++)\n        v[i] = f(v[i]);\n"
            "    return v;\n}\n"},
    {"map2", "$T $T_map2($E (*f)($E, $E), $T v, $T w)\n{\n    for (int i = 0; i < $N; i++)\n"
             "        v[i] = f(v[i], w[i]);\n    return v;\n}\n"},
    /* Sums and the like of all lanes, in halves, as LLVM adds up. */
    {"sum", "$E $T_sum($T v, int n)\n{\n    $E x[$N];\n    __builtin_memcpy(x, &v, sizeof x);\n"
            "    for (int w = n / 2; w; w /= 2)\n        for (int i = 0; i < w; i++)\n            x[i] += x[i + w];\n"
            "    return x[0];\n}\n"},
    {"most", "$E $T_most($T v, int n)\n{\n    $E x = v[0];\n    for (int i = 1; i < n; i++)\n"
             "        x = v[i] > x ? v[i] : x;\n    return x;\n}\n"},
    {"least", "$E $T_least($T v, int n)\n{\n    $E x = v[0];\n    for (int i = 1; i < n; i++)\n"
              "        x = v[i] < x ? v[i] : x;\n    return x;\n}\n"},
    {"any", "$E $T_any($T v, int n)\n{\n    $E x = 0;\n    for (int i = 0; i < n; i++)\n        x |= v[i];\n"
            "    return x;\n}\n"},
    {"both", "$E $T_both($T v, int n)\n{\n    $E x = v[0];\n    for (int i = 1; i < n; i++)\n        x &= v[i];\n"
             "    return x;\n}\n"},
    {"bits", "uint64_t $T_bits($T v, int n)\n{\n    uint64_t x = 0;\n    for (int i = 0; i < n; i++)\n"
             "        x |= (uint64_t)(v[i] & 1) << i;\n    return x;\n}\n"},
};
enum { NHELPERS = sizeof HELPERS / sizeof *HELPERS };

/* The same for elements of 4 bytes, where gcc 12 makes no such instructions of the above. $V and $P are the width in
 * the names of x86's functions and types. */
static const struct {
    const char *name;
    int lanes; /* 0: 4, 8 and 16 */
    const char *text;
} X86_HELPERS[] = {
    {"max", 0, "$T $T_max($T a, $T b)\n{\n    return ($T)_mm$V_max_ps(($P)a, ($P)b);\n}\n"},
    {"min", 0, "$T $T_min($T a, $T b)\n{\n    return ($T)_mm$V_min_ps(($P)a, ($P)b);\n}\n"},
    {"select", 16,
     "$T $T_select($M m, $T a, $T b)\n{\n    return ($T)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)m), "
     "($P)b, ($P)a);\n}\n"},
    {"select", 8, "$T $T_select($M m, $T a, $T b)\n{\n    return ($T)_mm256_blendv_ps(($P)b, ($P)a, ($P)m);\n}\n"},
    {"select", 4, "$T $T_select($M m, $T a, $T b)\n{\n    return ($T)_mm_blendv_ps(($P)b, ($P)a, ($P)m);\n}\n"},
    {"join", 16,
     "$T $T_join($H a, $H b)\n{\n    return ($T)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)a), "
     "(__m256)b, 1);\n}\n"},
    {"join", 8,
     "$T $T_join($H a, $H b)\n{\n    return ($T)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), "
     "(__m128)b, 1);\n}\n"},
    {"masked_load", 16,
     "$T $T_masked_load(const char *p, $M m, $T v)\n{\n    return ($T)_mm512_mask_loadu_ps(($P)v, "
     "_mm512_movepi32_mask((__m512i)m), p);\n}\n"},
    {"masked_load", 8,
     "$T $T_masked_load(const char *p, $M m, $T v)\n{\n    return ($T)_mm256_blendv_ps(($P)v, "
     "_mm256_maskload_ps((const float *)p, (__m256i)m), ($P)m);\n}\n"},
    {"load", 16,
     "$T $T_load(const char *p, int n)\n{\n    return ($T)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);\n}\n"},
    {"load", 8,
     "$T $T_load(const char *p, int n)\n{\n    return ($T)_mm256_maskload_ps((const float *)p, (__m256i)(($I){0, 1, "
     "2, 3, 4, 5, 6, 7} < n));\n}\n"},
    {"load", 4,
     "$T $T_load(const char *p, int n)\n{\n    return ($T)_mm_maskload_ps((const float *)p, (__m128i)(($I){0, 1, 2, 3} "
     "< n));\n}\n"},
    {"store", 16,
     "void $T_store(char *p, $T v, int n)\n{\n    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), ($P)v);\n}\n"},
    {"store", 8,
     "void $T_store(char *p, $T v, int n)\n{\n    _mm256_maskstore_ps((float *)p, (__m256i)(($I){0, 1, 2, 3, 4, 5, "
     "6, 7} < n), ($P)v);\n}\n"},
    {"store", 4,
     "void $T_store(char *p, $T v, int n)\n{\n    _mm_maskstore_ps((float *)p, (__m128i)(($I){0, 1, 2, 3} < n), "
     "($P)v);\n}\n"},
    {"masked_store", 16,
     "void $T_masked_store($T v, char *p, $M m)\n{\n    _mm512_mask_storeu_ps(p, "
     "_mm512_movepi32_mask((__m512i)m), ($P)v);\n}\n"},
    {"masked_store", 8,
     "void $T_masked_store($T v, char *p, $M m)\n{\n    _mm256_maskstore_ps((float *)p, (__m256i)m, "
     "($P)v);\n}\n"},
};
enum { NX86 = sizeof X86_HELPERS / sizeof *X86_HELPERS };

void c_fail(struct c_emitter *e, const char *fmt, ...)
{
    va_list ap;
    if (e->failed)
        return;
    e->failed = true;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, ap);
    va_end(ap);
}

static int log_of(unsigned n)
{
    int i = 0;
    while (n > 1u << i)
        i++;
    return i;
}

static struct c_type scalar_type(struct c_emitter *e, LLVMTypeRef t)
{
    struct c_type out = {.kind = C_VOID, .bits = 64, .lanes = 1, .part = 1, .parts = 1};
    switch (LLVMGetTypeKind(t)) {
    case LLVMVoidTypeKind:
        break;
    case LLVMFloatTypeKind:
        out.kind = C_F32;
        break;
    case LLVMDoubleTypeKind:
        out.kind = C_F64;
        break;
    case LLVMPointerTypeKind:
        out.kind = C_POINTER;
        break;
    case LLVMIntegerTypeKind:
        out.bits = (int)LLVMGetIntTypeWidth(t);
        out.kind = out.bits <= 8 ? C_U8 : out.bits <= 16 ? C_U16 : out.bits <= 32 ? C_U32 : C_U64;
        if (out.bits > 64)
            c_fail(e, "the code has integers of %d bits, for which C has no type", out.bits);
        break;
    default:
        c_fail(e, "the code has values of a type that C has not");
    }
    return out;
}

struct c_type c_type_of(struct c_emitter *e, LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return scalar_type(e, t);
    struct c_type out = scalar_type(e, LLVMGetElementType(t));
    out.lanes = (int)LLVMGetVectorSize(t);
    if (out.lanes == 1)
        return out;
    if (out.kind == C_POINTER)
        out.kind = C_U64;
    if (out.bits == 1)
        out.kind = C_U32;
    out.part = 1 << log_of((unsigned)out.lanes);
    out.part = out.part < e->most_lanes ? out.part : e->most_lanes;
    out.parts = (out.lanes + out.part - 1) / out.part;
    e->vectors[log_of((unsigned)out.part)] = true;
    return out;
}

const char *c_type_name(struct c_emitter *e, struct c_type t, bool is_signed)
{
    if (t.lanes == 1)
        return is_signed ? KINDS[t.kind].is_signed : KINDS[t.kind].scalar;
    return arena_printf(e->arena, "%sx%d", is_signed ? KINDS[t.kind].signed_vector : KINDS[t.kind].vector, t.part);
}

const char *c_type_mask(struct c_emitter *e, struct c_type t, bool is_signed)
{
    t.kind = C_U32;
    return c_type_name(e, t, is_signed);
}

const char *c_type_memory(struct c_emitter *e, struct c_type t, unsigned alignment)
{
    int log = log_of(alignment);
    log = log < C_ALIGNMENTS ? log : C_ALIGNMENTS - 1;
    e->memory[t.kind][log_of((unsigned)t.part)] |= 1u << log;
    const char *name = t.lanes == 1 ? KINDS[t.kind].vector : c_type_name(e, t, false);
    return arena_printf(e->arena, "%s_at%d", name, 1 << log);
}

const char *c_helper(struct c_emitter *e, struct c_type t, const char *name)
{
    for (int i = 0; i < NHELPERS; i++)
        if (str_eq(HELPERS[i].name, name))
            e->helpers[t.kind][log_of((unsigned)t.part)] |= 1u << i;
    return arena_printf(e->arena, "%s_%s", c_type_name(e, t, false), name);
}

/* ---- the prelude ---- */

static void put_helper(struct c_emitter *e, const char *text, struct c_type t, struct text *out)
{
    struct c_type address = t, half = t;
    address.kind = C_U64;
    half.part = t.part / 2;
    text_add(out, "static inline UNUSED ");
    for (const char *s = text; *s; s++) {
        if (*s != '$') {
            text_char(out, *s);
            continue;
        }
        switch (*++s) {
        case 'T':
            text_add(out, c_type_name(e, t, false));
            break;
        case 'E':
            text_add(out, KINDS[t.kind].scalar);
            break;
        case 'J':
            text_add(out, c_type_name(e, t, true));
            break;
        case 'M':
        case 'I':
            text_add(out, c_type_mask(e, t, *s == 'I'));
            break;
        case 'A':
            text_add(out, c_type_name(e, address, false));
            break;
        case 'H':
            text_add(out, c_type_name(e, half, false));
            break;
        case 'L':
            for (int i = 0; i < t.part; i++)
                text_printf(out, ", %d", i);
            break;
        case 'V':
            text_add(out, t.part == 16 ? "512" : t.part == 8 ? "256" : "");
            break;
        case 'P':
            text_printf(out, "__m%d", 32 * t.part);
            break;
        case 'N':
            text_int(out, t.part);
            break;
        default:
            for (int i = 0; i < t.part; i++)
                text_add(out, i ? ", x" : "x");
        }
    }
    text_char(out, '\n');
}

static const char *x86_text(const char *name, struct c_type t)
{
    bool fits = (t.kind == C_F32 || t.kind == C_U32) && (t.part == 4 || t.part == 8 || t.part == 16);
    for (int i = 0; i < NX86 && fits; i++)
        if (str_eq(X86_HELPERS[i].name, name) && (!X86_HELPERS[i].lanes || X86_HELPERS[i].lanes == t.part) &&
            (t.kind == C_F32 || (X86_HELPERS[i].lanes && !str_eq(name, "join"))))
            return X86_HELPERS[i].text;
    return NULL;
}

static void put_helpers(struct c_emitter *e, int h, struct c_type t, struct text *out)
{
    const char *fast = x86_text(HELPERS[h].name, t);
    if (fast) {
        text_printf(out, "#ifdef %s\n", t.part == 16 ? "__AVX512DQ__" : "__AVX__");
        put_helper(e, fast, t, out);
        text_add(out, "#else\n");
    }
    put_helper(e, HELPERS[h].text, t, out);
    if (fast)
        text_add(out, "#endif\n");
}

static void put_vectors(int lanes, struct text *out)
{
    for (int k = 0; k < C_KINDS; k++) {
        int bytes = KINDS[k].bytes * lanes;
        text_printf(out, "typedef %s %sx%d __attribute__((vector_size(%d)));\n", KINDS[k].scalar, KINDS[k].vector,
                    lanes, bytes);
        if (k >= C_U8)
            text_printf(out, "typedef %s %sx%d __attribute__((vector_size(%d)));\n", KINDS[k].is_signed,
                        KINDS[k].signed_vector, lanes, bytes);
    }
}

static void put_memory(struct c_emitter *e, int kind, int size, struct text *out)
{
    struct c_type t = {.kind = (enum c_kind)kind, .lanes = 1 << size, .part = 1 << size};
    for (int a = 0; a < C_ALIGNMENTS; a++) {
        if (!(e->memory[kind][size] >> a & 1))
            continue;
        if (size)
            text_printf(out, "typedef %s %s __attribute__((vector_size(%d), aligned(%d), may_alias));\n",
                        KINDS[kind].scalar, c_type_memory(e, t, 1u << a), KINDS[kind].bytes << size, 1 << a);
        else
            text_printf(out, "typedef %s %s __attribute__((aligned(%d), may_alias));\n", KINDS[kind].scalar,
                        c_type_memory(e, t, 1u << a), 1 << a);
    }
}

void c_type_prelude(struct c_emitter *e, struct text *out)
{
    text_add(out, "#ifdef __AVX__\n#include <immintrin.h>\n#endif\n");
    for (int i = 1; i < C_LANE_SIZES; i++)
        if (e->vectors[i])
            put_vectors(1 << i, out);
    for (int k = 0; k <= C_POINTER; k++)
        for (int i = 0; i < C_LANE_SIZES; i++)
            put_memory(e, k, i, out);
    text_char(out, '\n');
    for (int k = 0; k < C_KINDS; k++)
        for (int i = 1; i < C_LANE_SIZES; i++)
            for (int h = 0; h < NHELPERS; h++)
                if (e->helpers[k][i] >> h & 1)
                    put_helpers(e, h,
                                (struct c_type){.kind = (enum c_kind)k, .lanes = 1 << i, .part = 1 << i, .parts = 1},
                                out);
}
