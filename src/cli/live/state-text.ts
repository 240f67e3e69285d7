/**
 * @module
 * The state of a running cluster for people.
 */

import { printableLine } from '../../printable.ts';
import type { Led } from '../../runtime/live/cluster/agreement.ts';
import type { Cluster } from '../../runtime/live/cluster/cluster.ts';
import { STORE_NUMBER } from '../../runtime/live/cluster/cluster.ts';
import type { ClusterAction } from '../../runtime/live/cluster/cluster-action.ts';
import type { LeaderChange } from '../../runtime/live/cluster/leader-watch.ts';
import type { WriteCounts } from '../../runtime/live/cluster/write-counts.ts';

/** Which leader each node follows, or why it follows none. */
export function statesText(cluster: Pick<Cluster, 'states'>): string {
  const texts = cluster.states().map(({ node, status, leader, phantom }) => {
    if (status !== 'up') return `${node} is ${status}`;
    const none = phantom === null ? 'no leader' : unknownText(phantom);
    return `${node} follows ${leader ?? none}`;
  });
  return texts.join(', ');
}

const RANK_SHOWN_CHARACTERS = 12;

/**
 * A phantom, or a node of usurp node --join, which the controllers of several machines do not know. Without signatures the
 * rank can be any text of another node.
 */
function unknownText(rank: string): string {
  const shown = printableLine(rank.slice(0, RANK_SHOWN_CHARACTERS));
  const more = rank.length > RANK_SHOWN_CHARACTERS ? '…' : '';
  return `an unknown node (rank ${shown}${more})`;
}

/** What a command has changed beside the node that it names: the sides, the rate, the amnesia. */
export function detailsOf(
  action: ClusterAction,
  { sides }: Pick<Cluster, 'sides'>,
): { readonly json: object; readonly words: string } {
  switch (action.type) {
    case 'partition': {
      const named = sides.map((side) =>
        side.map((each) => (each === STORE_NUMBER ? 'store' : each)),
      );
      return { json: { sides: named }, words: named.join(' ') };
    }
    case 'skew':
      return { json: { rate: action.rate }, words: String(action.rate) };
    case 'start':
      return { json: { amnesia: action.amnesia }, words: action.amnesia ? 'amnesia' : '' };
    default:
      return { json: {}, words: '' };
  }
}

/** What became of the writes so far. */
export function writesText({ accepted, staleAccepted, staleRefused }: WriteCounts): string {
  return `answers so far: ${accepted} writes accepted, ${staleAccepted} of them stale; ${staleRefused} stale operations refused`;
}

/** Who led before and who leads now. */
export function leaderChangeText({ seconds, before, after }: LeaderChange): string {
  return `${seconds} s after the start: leader ${leadersText(before)} -> ${leadersText(after)}`;
}

function leadersText(led: readonly Led[]): string {
  const texts = led.map(({ node, epoch }) => (epoch > 0 ? `${node} in epoch ${epoch}` : `${node}`));
  return texts.length === 0 ? 'none' : texts.join(' and ');
}
