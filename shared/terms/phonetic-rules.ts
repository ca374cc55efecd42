/**
 * How letters sound: `letters …: reading | reading …`, the likelier first; the longest, most precise rule applies.
 * Letters: `^` at the start of a word, `$` at its end, `+` before e, i or y, `_` before any vowel.
 * Readings: P (b, p) · F (f, v, w) · T (d, t) · K (g, k) · S (every hiss: s, z, sh, ch, zh, ts) · L · R · M · N ·
 * J (a y before a vowel) · A (any vowel) · - (silent).
 */
export const phoneticRules = `
a e i o u y: A
e$: A | -
^yi: A | J
^y_: J
^h h: -
hm: M | KM
^j: J | S | A
j: A | S

b p: P
ph pf f v: F
bh: F | P
mh: A | F
mb$: M | MP
mps: MS | MPS
^ps: S | PS
^w: F
w: A | F
^wr: R | FR
wski: FSKA
wicz: FAS
wich$: AS | FAS

t d th: T
ts tz tsch tsh tch ds dz dj dsch: S
trz drz: S | TRS
dg+: S | TK

k q ck que$ ques$: K
qu_: KA | KF
^kn ^gn gn: N | KN
kn$: KN
x chs cs$: KS
^x: S | KS
xh: S
c: K
c+ cz cs sc+: S
c$: K | S
cc+: KS | S
cki: KA | SKA
ch: K | S
cois$: SA | KAS
^ch: S | K
chr ^chr: KR
cester: STAR
^mc: MAK

s z sch: S
rz: S | RS

g gg: K
g+ gg+: K | S
gh: - | K
gh+: K | -
^gh: K
ght: T
^gua: FA | KA
^ng: N
oga: AKA | A
ogu: AKA | A
agl: AKL | AL

l: L
ill_: AL | A
r: R
er$ ier$: AR | A
erk: ARK | AK
erl: ARL | AL
ern: ARN | AN
m: M
n: N
abr: APR | AMPR

eaux$: A
aux$ eux$ oux$: A | AKS
ais$ ois$: A | AS
ois_: AS
oit$ ot$ aud$: A | AT
et$: AT | A
ault$ auld$: A | ALT
ard$ ert$ ort$: ART | AR
and$ ant$ ent$ ont$: ANT | AN
`
