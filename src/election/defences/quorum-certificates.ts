/**
 * @module
 * Quorum certificates: a leader shows with each announcement the signed votes of a majority for it in that
 * term, and receivers ignore an announcement without them. As M. Castro and B. Liskov, "Practical Byzantine
 * Fault Tolerance", OSDI 1999, section 2.3, where a certificate is a set of signed messages of a quorum.
 *
 * Invariants: (1) a node follows a leader of a term only if a majority, the leader included, has voted for
 * it in that term; (2) a certificate counts for the node to which its votes are addressed, so that no other
 * node can show it as its own; (3) a vote counts only in the term in which this node stands, so that votes
 * of other terms discard none. No further message: a certificate is the q − 1 votes of the others, with
 * majority q, beside the signature of an announcement. Each receiver verifies it once in a term. It is
 * around an authenticated machine, because it needs seals. It does not help against nodes that vote for
 * several candidates, if they are as many as two majorities have in common, nor against a node that wins
 * the votes and then stalls.
 */

import type { SealedMessage } from '../authentication/authenticated.ts';
import type { AnyMachine, Certificate } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { intercepted, react } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import { majorityOf } from '../quorum/majority.ts';
import { PROTOCOLS } from '../registry.ts';
import type { SealedDefenceContext } from './defence.ts';
import { defineDefence } from './defence.ts';
import type { Evidence } from './signed-claims.ts';
import { claimIn, evidenceIn, evidenceOf, isKept, isSigned } from './signed-claims.ts';

export type CertifiedState = {
  inner: Json;
  /** The term in which this node stood last. */
  term: number;
  /** The votes of others for it in that term. */
  votes: Evidence[];
  /** By rank, the last term for which a leader has shown a certificate. */
  proved: Record<string, number>;
  /** Announcements without a valid certificate. */
  ignored: number;
};

/** Where a certificate is in a seal. */
type Certified = SealedMessage & { readonly seal?: { readonly certificate?: unknown } };

/** Bound on the size of a vote in a certificate, as JSON between live nodes. */
export const VOTE_BYTES_MAX = 400;

export const QUORUM_CERTIFICATES = defineDefence({
  kind: 'around',
  name: 'quorum-certificates',
  code: 'D10',
  summary: `A leader shows the signed votes of a majority with each announcement, and nodes ignore one without them, so that no node leads that was not elected; costs no message, but in each announcement the votes of a majority less one, at most ${VOTE_BYTES_MAX} bytes each, which each receiver verifies once a term.`,
  unsupportedReason(protocol) {
    const { certificate } = PROTOCOLS[protocol];
    return typeof certificate === 'string' ? certificate : null;
  },
  limit: () => null,
  needsLevel: 'L2',
  response: { newcomers: 'admitted', ranks: 'by-id' },
  inside: null,
  guard: createQuorumCertificates,
  isRunByAll: true,
});

/** Around an authenticated machine. Throws RangeError for a protocol that it does not fit. */
export function createQuorumCertificates(
  machine: AnyMachine,
  context: SealedDefenceContext,
): Machine<CertifiedState, Message> {
  const { certificate } = PROTOCOLS[context.protocol];
  if (typeof certificate === 'string') {
    throw new RangeError(
      `"protocol" expected one whose leaders have votes, got ${context.protocol}`,
    );
  }
  return {
    init: (self) => ({ inner: machine.init(self), term: 0, votes: [], proved: {}, ignored: 0 }),
    step: (self, state, event, effects) =>
      react(
        REACTIONS,
        stepInner,
        { ...context, certificate, machine, self, state, effects },
        event,
      ),
  };
}

interface Step extends SealedDefenceContext {
  readonly certificate: Certificate;
  readonly machine: AnyMachine;
  readonly self: Self;
  readonly state: CertifiedState;
  readonly effects: Effects<Message>;
}

const REACTIONS: Reactions<Step> = {
  deliver(context, event) {
    const { certificate, self, state } = context;
    const message: Certified = event.message;
    const by = message.seal?.by ?? event.from;
    if (certificate.announces(message) && !isProved(context, by, message)) {
      state.ignored += 1;
      return;
    }
    if (message.type === certificate.vote) collect(context, evidenceIn(message, by, self.rank));
    stepInner(context, event);
  },
};

function stepInner(context: Step, event: Event<Message>): void {
  const { machine, self, state } = context;
  machine.step(self, state.inner, event, certifying(context));
}

/** The collector of the machine's step, which adds the votes to its announcements. */
function certifying({ certificate, self, state, effects }: Step): Effects<Message> {
  return intercepted(effects, {
    send(to, message: Certified) {
      const term = termOf(certificate, message);
      if (message.type === certificate.question && term !== null && term !== state.term) {
        state.term = term;
        state.votes = [];
      }
      if (!certificate.announces(message) || term !== state.term) {
        effects.send(to, message);
        return;
      }
      const votes = state.votes.slice(0, majorityOf(self) - 1);
      const certified = { ...message, seal: { ...message.seal, certificate: votes } };
      effects.send(to, certified);
    },
  });
}

/** Keeps a vote for this node. Its signature is verified, because a wrong one would spoil the certificate. */
function collect(context: Step, vote: Evidence | null): void {
  const { authentication, self, state } = context;
  if (vote === null || !isVote(context, vote, { leader: self.rank, term: state.term })) return;
  const isKnown = state.votes.some(({ by }) => by === vote.by);
  if (!isKnown && isSigned(authentication, self, vote)) state.votes.push(vote);
}

/** Whether the sender of an announcement has shown the votes of a majority, now or before in its term. */
function isProved(context: Step, leader: Rank, message: Certified): boolean {
  const { authentication, certificate, self, state } = context;
  const term = termOf(certificate, message);
  if (term === null) return false;
  if (state.proved[String(leader)] === term) return true;
  const shown = message.seal?.certificate;
  // A certificate has as many votes as it needs, which bounds the work for a wrong one.
  if (!Array.isArray(shown) || shown.length !== majorityOf(self) - 1) return false;
  const voters = new Set<Rank>();
  for (const each of shown) {
    const vote = evidenceOf(self, each);
    if (vote === null || !isVote(context, vote, { leader, term })) return false;
    if (voters.has(vote.by) || !isSigned(authentication, self, vote)) return false;
    voters.add(vote.by);
  }
  state.proved[String(leader)] = term;
  return true;
}

/** Whether a message is another member's vote for this leader in this term. */
function isVote(
  { protocol, certificate, self }: Step,
  vote: Evidence,
  { leader, term }: { readonly leader: Rank; readonly term: number },
): boolean {
  const { by, to, body } = vote;
  if (to !== leader || by === leader || !self.members.includes(by)) return false;
  if (body.type !== certificate.vote || claimIn(protocol, vote) === null) return false;
  if (!isKept(protocol, self, vote)) return false;
  return termOf(certificate, body) === term;
}

function termOf({ number }: Certificate, message: Message): number | null {
  return countOf(memberOf(message, number));
}
