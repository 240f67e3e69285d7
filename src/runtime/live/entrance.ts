/**
 * @module
 * How a node that is not in the peers file is admitted: it presents itself to every member until each has answered, and
 * learns from the answers who joined before. A member that was down meanwhile refuses its messages, and is asked again.
 */

import { z } from 'zod';
import type { Rank } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { AdmissionRefusal, Membership, Presentation } from './membership.ts';
import { ADMISSION_REASONS, ADMISSION_REFUSALS, presentationSchema } from './membership.ts';
import type { Peer } from './peers.ts';
import type { Links } from './transport/links.ts';
import type { Transport } from './transport/transport.ts';
import { ask } from './transport/transport.ts';
import { holdsWithin } from './waiting.ts';

const AGAIN_MS = 250;
const ANSWER_MS_MAX = 2_000;

/** The answer to a node that is admitted: the nodes that joined before. */
export const admissionSchema = z.object({ peers: z.array(presentationSchema) });
export const admissionRefusalSchema = z.object({ refusal: z.enum(ADMISSION_REFUSALS) });
const answerSchema = z.union([admissionSchema, admissionRefusalSchema]);

export interface EntranceOptions {
  readonly rank: Rank;
  readonly membership: Membership;
  readonly transport: Transport;
  readonly links: Links;
  /** Admits a member that an answer names. */
  readonly onPresented: (presentation: Presentation) => AdmissionRefusal | null;
}

export interface Entrance {
  /** Presents the node to all members. Throws LabError `claim.refused` if all refuse it. */
  admittedWithin(waitMs: number, signal: AbortSignal): Promise<void>;
  /** The member at this address has refused a message: perhaps it does not know the node. */
  askAgain(url: string): void;
  close(): void;
}

export function createEntrance(own: Presentation, options: EntranceOptions): Entrance {
  const { rank, membership, transport, links, onPresented } = options;
  const admitting = new Set<string>();
  const refusals = new Map<string, AdmissionRefusal>();
  const others = () => membership.network.peers.filter((peer) => peer.rank !== rank);
  // It can have been too busy to answer at its address.
  const isFinal = (url: string) => !['address', undefined].includes(refusals.get(url));
  const asked = () => others().filter(({ url }) => !admitting.has(url) && !isFinal(url));
  const ask = async (peer: Peer) => {
    if (!links.reaches(peer.rank)) return;
    const answer = await present(own, peer, transport);
    if (answer === null) return;
    if (typeof answer === 'string') {
      refusals.set(peer.url, answer);
      return;
    }
    admitting.add(peer.url);
    for (const presentation of answer) onPresented(presentation);
  };
  let isAsking = false;
  const askAll = async () => {
    if (isAsking) return;
    isAsking = true;
    await Promise.all(asked().map(ask));
    isAsking = false;
  };
  const timer = setInterval(askAll, AGAIN_MS);
  return {
    async admittedWithin(waitMs, signal) {
      const haveAnswered = async () => {
        await askAll();
        return asked().length === 0;
      };
      await holdsWithin(haveAnswered, { waitMs, signal });
      const [refusal] = refusals.values();
      if (refusal === undefined || admitting.size > 0) return;
      throw new LabError(
        'claim.refused',
        `the members refuse this node: ${ADMISSION_REASONS[refusal]}`,
      );
    },
    askAgain(url) {
      admitting.delete(url);
    },
    close: () => clearInterval(timer),
  };
}

/** Who joined before, or why the member refuses; null if it did not answer. */
async function present(
  own: Presentation,
  peer: Peer,
  transport: Transport,
): Promise<readonly Presentation[] | AdmissionRefusal | null> {
  const body = JSON.stringify(own);
  const answer = await ask(transport, peer, '/peers', { body, waitMs: ANSWER_MS_MAX });
  const given = answerSchema.safeParse(answer);
  if (!given.success) return null;
  return 'peers' in given.data ? given.data.peers : given.data.refusal;
}
