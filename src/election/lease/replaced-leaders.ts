/**
 * @module
 * Which leaders have been replaced, by the order in which nodes took the lead, whatever they or the resource know of
 * it. A write of a replaced leader is a *stale write*. A fence refuses it only if the resource has also accepted an
 * operation of a later leader before: then it is a *late write* (stores/resource.ts).
 */

/** A driver notes who leads. Ranks are numbers or names. */
export class ReplacedLeaders<Node> {
  /** The highest epoch that each node has led. */
  readonly #epochs = new Map<Node, number>();
  /** The nodes that lead now, in the order in which they took the lead. */
  readonly #leading = new Set<Node>();

  /** The node leads; epoch 0 is that of elections without numbers. */
  leads(node: Node, epoch: number): void {
    this.#leading.add(node);
    this.#epochs.set(node, Math.max(epoch, this.#epochs.get(node) ?? 0));
  }

  /** The node leads no longer: it follows another, stepped down, or is down. */
  yields(node: Node): void {
    this.#leading.delete(node);
  }

  /**
   * Whether another node has replaced this one as the leader of an epoch: it has led a higher epoch. In elections
   * without numbers: it leads now, and took the lead last.
   */
  hasReplaced(node: Node, epoch: number): boolean {
    if (epoch === 0) return ![undefined, node].includes([...this.#leading].at(-1));
    return [...this.#epochs].some(([other, led]) => other !== node && led > epoch);
  }
}
