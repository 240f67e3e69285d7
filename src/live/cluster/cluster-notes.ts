/**
 * @module
 * What the controller of a cluster on this machine knows of its nodes and notes while they run. The check of the logs and
 * the traces use it. A folder that is kept has it, too.
 */

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { Disturbance } from '../check/disturbances.ts';
import { renamed } from '../check/disturbances.ts';
import type { ControllerNotes } from '../check/log-check.ts';
import { STORE_RANK } from '../node-record.ts';
import { STORE_NUMBER } from './cluster.ts';
import type { ClusterFolder, JoinedNode } from './cluster-folder.ts';
import { noteDisturbance, writeClusterFolder } from './cluster-folder.ts';

/** Where the notes are kept. */
interface Kept extends Pick<ClusterFolder, 'settings' | 'netns'> {
  readonly folder: string;
}

export class ClusterNotes implements ControllerNotes {
  readonly startedMs: number;
  readonly disturbances: Disturbance<string>[];
  readonly #founders: readonly string[];
  readonly #joined: JoinedNode[];
  readonly #kept: Kept | null;

  /** `founders` are the ranks of the founders. A cluster that is started again goes on with what its folder says. */
  constructor(
    founders: readonly string[],
    filed: Pick<ClusterFolder, 'startedMs' | 'joined' | 'disturbances'> | null,
    kept: Kept | null = null,
  ) {
    this.#founders = founders;
    this.#joined = [...(filed?.joined ?? [])];
    this.#kept = kept;
    this.startedMs = filed?.startedMs ?? Date.now();
    this.disturbances = [...(filed?.disturbances ?? [])];
    if (filed === null) this.#write();
  }

  /** The nodes that joined, or were to, in the order of their numbers. */
  get joined(): readonly JoinedNode[] {
    return this.#joined;
  }

  /** The ranks of all nodes, the first of node 1. */
  get ranks(): readonly string[] {
    return [...this.#founders, ...this.#joined.map(({ rank }) => rank)];
  }

  get adversaries(): readonly string[] {
    return this.#joined.flatMap(({ rank, adversary }) => (adversary ? rank : []));
  }

  /** The number of the node with a rank; undefined if none has it. */
  readonly numberOf = (rank: string): number | undefined =>
    this.ranks.indexOf(rank) + 1 || undefined;

  /** The behaviours of a node; none of an honest one. */
  behavioursOf(node: number): readonly BehaviourName[] {
    return this.#joinedAt(node)?.behaviours ?? [];
  }

  /** Whether an attack has started a node. */
  isAdversary(node: number): boolean {
    return this.#joinedAt(node)?.adversary === true;
  }

  addJoined(node: JoinedNode): void {
    this.#joined.push(node);
    this.#write();
  }

  addDisturbance(disturbance: Disturbance<number>): void {
    const named = renamed(disturbance, (node) =>
      node === STORE_NUMBER ? String(STORE_RANK) : this.ranks[node - 1],
    );
    if (named === null) return;
    this.disturbances.push(named);
    if (this.#kept !== null) noteDisturbance(this.#kept.folder, named);
  }

  #joinedAt(node: number): JoinedNode | undefined {
    return this.#joined[node - 1 - this.#founders.length];
  }

  #write(): void {
    if (this.#kept === null) return;
    const { folder, settings, netns } = this.#kept;
    writeClusterFolder(folder, {
      settings,
      netns,
      startedMs: this.startedMs,
      joined: this.#joined,
    });
  }
}
