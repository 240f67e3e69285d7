/**
 * @module
 * How a member admits a node that presents itself. An identity costs nothing if the policy demands no work, and members that
 * do not exist would take the majority from those that do. A newcomer must therefore answer at its address first.
 */

import { z } from 'zod';
import type { LiveNode } from './live-node.ts';
import type { Membership, Presentation, Refused } from './membership.ts';
import type { Peer } from './peers.ts';
import type { Links } from './transport/links.ts';
import type { Asked } from './transport/peer-connections.ts';
import type { Transport } from './transport/transport.ts';
import { ask } from './transport/transport.ts';

/** How long a newcomer takes to answer, in ms. It gives up its request after twice this time. */
const ANSWER_MS_MAX = 1_000;

const answerSchema = z.object({ rank: z.string() });

interface Admitting {
  readonly rank: Peer['rank'];
  readonly membership: Membership;
  readonly transport: Transport;
  readonly node: LiveNode;
  readonly links: Links;
}

/** How a node admits another one, or says why not. Its machine learns of one that is new. */
export function admissionBy({ rank, membership, transport, node, links }: Admitting) {
  const answers = async (peer: Peer, over: Asked): Promise<boolean> => {
    if (!links.reaches(peer.rank)) return false;
    const answer = await ask(over, peer, '/status', { waitMs: ANSWER_MS_MAX });
    const given = answerSchema.safeParse(answer);
    return given.success && given.data.rank === String(peer.rank);
  };
  const admit = (presentation: Presentation): Refused | null => {
    const admitted = membership.admit(presentation);
    if (admitted === null || 'refusal' in admitted) return admitted;
    node.join(admitted.rank, membership.selfOf(rank));
    return null;
  };
  /** Admits one that presents itself, or that a member has named: a member can name nodes that do not exist. */
  return async (presentation: Presentation): Promise<Refused | null> => {
    const examined = membership.examine(presentation);
    if (examined === null || 'refusal' in examined) return examined;
    const { newcomer } = examined;
    if (!(await answers(newcomer, transport.once))) return { refusal: 'address', fault: 'silent' };
    const refused = admit(presentation);
    // Opens the connection for messages, so that the first ones are no later than the others.
    if (refused === null) await answers(newcomer, transport);
    return refused;
  };
}
