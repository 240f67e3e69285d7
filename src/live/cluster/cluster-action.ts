/**
 * @module
 * The actions on a running cluster that the command line and the server have in common.
 */

import { LabError } from '../../errors.ts';
import type { Cut } from '../../simulation/faults/schedule.ts';
import type { Division } from '../check/division.ts';
import type { CrashPoint } from '../crash-points.ts';
import type { Chance, ChanceName } from '../transport/links.ts';
import { STORE_NUMBER } from './cluster.ts';
import type { ClusterSession } from './cluster-session.ts';

/** A node by its number, the present leader, the node that was killed or paused last, or the store. */
export type NodeName = number | 'leader' | 'last' | 'store';

export type ClusterAction =
  | { readonly type: 'kill' | 'pause' | 'resume'; readonly node: NodeName }
  | { readonly type: 'start'; readonly node: NodeName; readonly amnesia: boolean }
  | ({ readonly type: 'partition' } & Division<NodeName>)
  /** A cut in the words of the simulator. */
  | { readonly type: 'partition'; readonly cut: Cut }
  | { readonly type: 'skew'; readonly node: NodeName; readonly rate: number }
  /** The clock of a node jumps, back if the seconds are below 0. */
  | { readonly type: 'jump'; readonly node: NodeName; readonly seconds: number }
  /** The node dies at this point of its next step that persists something or calls the store. */
  | { readonly type: 'die-at'; readonly node: NodeName; readonly point: CrashPoint }
  | { readonly type: ChanceName; readonly chance: Chance }
  | { readonly type: 'heal' };

/**
 * Carries out an action. Returns the number of the node that it applies to; null for none, `STORE_NUMBER` for the store.
 * Throws LabError `arguments` if it is impossible now.
 */
export async function carryOutAction(
  session: ClusterSession,
  action: ClusterAction,
): Promise<number | null> {
  const { cluster } = session;
  if (action.type === 'heal') {
    cluster.heal();
    return null;
  }
  if ('chance' in action) {
    cluster.chance(action.type, action.chance);
    return null;
  }
  const numberOf = (node: NodeName) => numberIn(session, node);
  const numbered = (sides: Division<NodeName>['sides']) => sides.map((side) => side.map(numberOf));
  if (action.type === 'partition') {
    if ('cut' in action) cluster.cut(action.cut);
    else cluster.partition(numbered(action.sides), action.isOneWay);
    return null;
  }
  if (action.node === 'store') {
    await actOnStore(session, action.type);
    return STORE_NUMBER;
  }
  const node = numberOf(action.node);
  if (action.type === 'kill') await cluster.kill(node);
  else if (action.type === 'start') {
    // One that was to die and has not yet dies now.
    if (cluster.doomed.some(([each]) => each === node)) await cluster.kill(node);
    cluster.start(node, action.amnesia);
  } else if (action.type === 'die-at') cluster.dieAt(node, action.point);
  else if (action.type === 'jump') cluster.jump(node, action.seconds * 1000);
  else if (action.type === 'skew') cluster.skew(node, action.rate);
  else cluster[action.type](node);
  return node;
}

async function actOnStore(
  { store, cluster, settings }: ClusterSession,
  type: string,
): Promise<void> {
  if (store === null) {
    throw new LabError(
      'arguments',
      settings.store === null
        ? `${settings.protocol} runs without a store; name a node`
        : 'only a store that was started with the nodes can be disturbed; name its kind alone in --store',
    );
  }
  if (type === 'skew' || type === 'jump')
    throw new LabError('arguments', 'the clock of a store cannot be changed; name a node');
  if (type === 'die-at')
    throw new LabError('arguments', 'a store has no such point; kill it, or name a node');
  if (type === 'kill') {
    await store.kill();
    cluster.noteStore('end');
  } else if (type === 'start') {
    await store.start();
    cluster.noteStore('return');
  } else if (type === 'pause') {
    store.pause();
    cluster.noteStore('pause');
  } else {
    store.resume();
    cluster.noteStore('resume');
  }
}

/** Throws LabError `arguments` if no node leads now, or none was killed or paused before. */
export function numberIn({ cluster }: ClusterSession, node: NodeName): number {
  if (node === 'store') return STORE_NUMBER;
  if (typeof node === 'number') return node;
  const number = node === 'leader' ? cluster.leader() : cluster.lastDisturbed;
  if (number !== null) return number;
  const fault =
    node === 'leader'
      ? 'no node leads now; wait until one leads'
      : 'no node was killed or paused yet';
  throw new LabError('arguments', `${fault}, or name a node`);
}
