/**
 * @module
 * A law of lookups that knows no nodes, tables or IDs, as an oracle: it shares no code with src/overlay. A node is
 * represented by the number of bits that it has in common with the key. Each of the k contacts of its bucket has one bit
 * more, and each further bit with probability 1/2. A path ends at a node with enough bits to know all siblings.
 */

/** What the law depends on. */
export interface BitsLaw {
  /** Contacts of a bucket: k. */
  readonly bucket: number;
  /** By number of bits: probability that a node needs this number in common with the key to know all siblings. */
  readonly needs: ReadonlyMap<number, number>;
}

/** P(X = x) of a binomial distribution. */
function binomial(n: number, p: number, x: number): number {
  let log = x * Math.log(p) + (n - x) * Math.log1p(-p);
  for (let index = 1; index <= x; index += 1) log += Math.log((n - x + index) / index);
  return Math.exp(log);
}

/** How many bits a node needs, among uniform IDs. Each node knows this number of `neighbours` around its own ID. */
export function needsOf(nodes: number, neighbours: number): ReadonlyMap<number, number> {
  const needs = new Map<number, number>();
  let before = 0;
  for (let bits = 1; before < 1 - 1e-9; bits += 1) {
    // P(the subtree of the key with this number of common bits is small enough to be known).
    const small = Array.from({ length: neighbours + 1 }, (_, x) => binomial(nodes, 2 ** -bits, x));
    const known = Math.min(
      1,
      small.reduce((sum, odds) => sum + odds),
    );
    if (known > before) needs.set(bits, known - before);
    before = Math.max(before, known);
  }
  return needs;
}

/** P(i further steps) from a node, by the bits that it has in common with the key, up to those that it needs. */
function furtherSteps(need: number, bucket: number): readonly (readonly number[])[] {
  const below = (bits: number) => (1 - 2 ** -bits) ** bucket;
  const laws: number[][] = [];
  laws[need] = [1];
  for (let bits = need - 1; bits >= 0; bits -= 1) {
    const law: number[] = [0];
    for (let next = bits + 1; next <= need; next += 1) {
      // The bits of the closest contact beyond the first.
      const gain = next - bits - 1;
      const odds = (next === need ? 1 : below(gain + 1)) - below(gain);
      for (const [steps, each] of (laws[next] ?? []).entries()) {
        law[steps + 1] = (law[steps + 1] ?? 0) + odds * each;
      }
    }
    laws[bits] = law;
  }
  return laws;
}

/** All starts of a lookup: bits that the initiator has, bits that are needed, and their probability. */
function* starts({
  needs,
}: BitsLaw): Generator<readonly [own: number, need: number, odds: number]> {
  for (const [need, odds] of needs) {
    for (let own = 0; own < need; own += 1) yield [own, need, odds * 2 ** -(own + 1)];
    yield [need, need, odds * 2 ** -need];
  }
}

/** P(i steps) of a path, over all of d paths: h_i of the paper. Path j begins at the j-th closest of the k contacts. */
export function lengthLaw(law: BitsLaw, d: number): readonly number[] {
  const { bucket } = law;
  const shares: number[] = [];
  const add = (steps: number, odds: number) => {
    shares[steps] = (shares[steps] ?? 0) + odds;
  };
  const atLeast = (j: number, bits: number) => {
    const fewer = Array.from({ length: j + 1 }, (_, x) => binomial(bucket, 2 ** -bits, x));
    return bits === 0 ? 1 : 1 - fewer.reduce((sum, each) => sum + each);
  };
  for (const [own, need, odds] of starts(law)) {
    if (own >= need) add(0, odds);
    const further = furtherSteps(need, bucket);
    for (let first = own + 1; first <= need; first += 1) {
      for (let j = 0; j < d; j += 1) {
        const more = first === need ? 0 : atLeast(j, first - own);
        const here = (odds * (atLeast(j, first - own - 1) - more)) / d;
        for (const [steps, each] of (further[first] ?? []).entries()) add(steps + 1, here * each);
      }
    }
  }
  return Array.from(shares, (share) => share ?? 0);
}

/** P(a lookup over d paths succeeds), where each node is an adversary with probability m and ends its path. */
export function successLaw(law: BitsLaw, d: number, m: number): number {
  const { bucket } = law;
  let success = 0;
  for (const [own, need, odds] of starts(law)) {
    const further = furtherSteps(need, bucket);
    /** P(a path is lost), by the number of bits that its first node has in common with the key. */
    const lost = further.map((steps) => {
      return 1 - steps.reduce((sum, each, count) => sum + each * (1 - m) ** (count + 1), 0);
    });
    /** P(all paths are lost) by the number of contacts that are left: those with at least `bits` bits. */
    let allLost = Array.from({ length: bucket + 1 }, (_, left) => {
      return (lost[need] ?? 0) ** Math.min(left, d);
    });
    for (let bits = need - 1; bits > own; bits -= 1) {
      const deeper = allLost;
      allLost = Array.from({ length: bucket + 1 }, (_, left) => {
        // Each contact has one bit more with probability 1/2. The paths of the closest contacts come first.
        const odds = Array.from({ length: left + 1 }, (_, more) => {
          const ending = Math.max(0, Math.min(left, d) - more);
          return binomial(left, 0.5, more) * (lost[bits] ?? 0) ** ending * (deeper[more] ?? 0);
        });
        return odds.reduce((sum, each) => sum + each);
      });
    }
    success += odds * (own >= need ? 1 : 1 - (allLost[bucket] ?? 0));
  }
  return success;
}

/** The paper's form: P = Σ h_i (1 − (1 − (1 − m)^i)^d). */
export function paperForm(shares: readonly number[], d: number, m: number): number {
  return shares.reduce((sum, share, i) => sum + share * (1 - (1 - (1 - m) ** i) ** d), 0);
}
