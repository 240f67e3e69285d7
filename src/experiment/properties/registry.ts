/**
 * @module
 * The properties of threat models. Their schema, its documentation and the verdicts read this list.
 */

import { namesOf, registry } from '../../election/definition/definitions.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { topTheory } from '../theory/answer.ts';
import { anyEpochTheory, lastEpochTheory } from '../theory/epoch-odds.ts';
import {
  deniedTheory,
  majorityTheory,
  successorsTheory,
  topRanksTheory,
} from '../theory/expected-capture.ts';
import type { Judges, Property, Ranking } from './property.ts';
import { defineProperty, isForged, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';
import { isSeen } from './sighting.ts';

/** Whether they are all forged. False if the victim is no member, and if the ring is too small. */
export function holdsSuccessors({ members, count, victim }: Ranking): boolean {
  const number = victim();
  const at = members.findIndex((member) => member.owner === 'honest' && member.number === number);
  if (at < 0 || members.length <= count) return false;
  const above = members.slice(0, at).toReversed();
  const below = members.slice(at + 1).toReversed();
  return [...above, ...below].slice(0, count).every(isForged);
}

/** Whether the `count` highest are all forged. False if there are fewer members. */
export function holdsTop({ members, count }: Pick<Ranking, 'members' | 'count'>): boolean {
  return members.length >= count && members.slice(0, count).every(isForged);
}

/** What most properties have in common. */
const USUAL = { needsResource: false, isCounted: false, underAttack: 'holds' } as const;

const LISTED = [
  /** An adversary leads: by rank, by misbehaviour for a while, or in the last of several epochs. */
  defineProperty({
    name: 'adversary-leads',
    description: 'an adversary leads (with behaviours: for a while; with epochs: in the last one)',
    happened: (subject) => `${subject} led`,
    aim: 'lead',
    epochs: { wants: 'top', when: 'last' },
    judges: {
      election: ({ winner }) => winner === 'adversary',
      top: (owner) => owner === 'adversary',
      watched: (seen) => isSeen('usurped', seen),
      ranking: null,
      epochs: (epochs) => epochs.at(-1)?.leader === 'adversary',
    },
    closedForms: {
      election: (forging) => ('formula' in forging ? forging : topTheory(forging)),
      watched: topTheory,
      ranking: null,
      epochs: lastEpochTheory,
    },
    ...USUAL,
  }),
  /**
   * Adversaries lead for a greater part of the time than their part of the identities. In one term that is to lead at
   * all. Where the rank has no meaning, each identity is equally likely to lead, so that adversaries which follow the
   * protocol lead a term with probability E[K/(n+K)].
   */
  defineProperty({
    name: 'leads-more-than-share',
    description:
      'honest nodes follow adversaries for a greater part of the time with a leader than the part of the identities that adversaries hold; in a single term, an adversary leads',
    happened: (subject) => `${subject} led more often than its share of the identities`,
    aim: 'lead',
    epochs: { wants: 'top', when: 'each' },
    judges: {
      ...NO_JUDGES,
      watched: ({ usurpedTicks, agreedTicks, adversaryNodes }, nodes) =>
        usurpedTicks * nodes > agreedTicks * adversaryNodes,
      epochs(epochs) {
        const led = epochs.filter(({ leader }) => leader === 'adversary').length;
        const shares = epochs.map(
          ({ ranking }) => ranking.filter(isForged).length / ranking.length,
        );
        return led > shares.reduce((sum, share) => sum + (share || 0), 0);
      },
    },
    closedForms: { ...NO_CLOSED_FORMS, watched: topTheory },
    ...USUAL,
  }),
  /** The highest node ID leads, whichever node owns it. */
  defineProperty({
    name: 'highest-leads',
    description: 'every node agrees on the highest node ID at the end',
    happened: () => 'the highest ID led',
    needsResource: false,
    isCounted: false,
    aim: 'stop',
    underAttack: 'fails',
    epochs: null,
    judges: {
      ...NO_JUDGES,
      election: ({ highestLeads }) => highestLeads,
      watched: ({ leader }, nodes) => leader === nodes,
    },
    closedForms: {
      ...NO_CLOSED_FORMS,
      election: () => ({
        probability: 1,
        formula: '1, as no fault keeps the highest ID from leading',
      }),
    },
  }),
  /** The honest nodes agree on no leader that lasts. */
  defineProperty({
    name: 'no-leader',
    description: 'the honest nodes never agree on a live leader that lasts',
    happened: () => 'no leader lasted',
    aim: 'stop',
    epochs: null,
    judges: { ...NO_JUDGES, watched: (seen) => isSeen('leaderless', seen) },
    closedForms: NO_CLOSED_FORMS,
    ...USUAL,
  }),
  /** Honest nodes follow two leaders at once. */
  defineProperty({
    name: 'split',
    description:
      'honest nodes follow two live leaders at once for longer than a change of leaders takes, or two nodes lead in one epoch',
    happened: () => 'two leaders were followed at once',
    aim: 'split',
    epochs: null,
    judges: {
      ...NO_JUDGES,
      watched: (seen) => isSeen('split', seen) || isSeen('epoch-shared', seen),
    },
    closedForms: NO_CLOSED_FORMS,
    ...USUAL,
  }),
  /**
   * The resource accepts writes of leaders that another node has replaced, by the order in which they took the lead. A
   * fence does not prevent those that arrive before the first operation of the other (late-writes.ts).
   */
  defineProperty({
    name: 'stale-writes',
    description:
      'the resource accepts writes of a leader that another has replaced, whether or not the other has written',
    happened: () => 'the resource accepted writes of a replaced leader',
    needsResource: true,
    isCounted: false,
    aim: 'outlive-lease',
    underAttack: 'holds',
    epochs: null,
    judges: { ...NO_JUDGES, watched: ({ staleWrites }) => staleWrites > 0 },
    closedForms: NO_CLOSED_FORMS,
  }),
  /** The resource accepts writes that arrive after an operation of a later leader. A fence prevents them. */
  defineProperty({
    name: 'late-writes',
    description:
      'the resource accepts writes of a replaced leader after a write of a later one, which a fence prevents',
    happened: () => 'the resource accepted writes of a replaced leader after those of a later one',
    needsResource: true,
    isCounted: false,
    aim: 'outlive-lease',
    underAttack: 'holds',
    epochs: null,
    judges: { ...NO_JUDGES, watched: (seen) => isSeen('late-writes', seen) },
    closedForms: NO_CLOSED_FORMS,
  }),
  /** Clients receive answers that no order of their operations explains: a stale read, or a lost write. */
  defineProperty({
    name: 'not-linearizable',
    description:
      'no order of the operations of clients explains the answers that they received, so that a read was stale or a write was lost',
    happened: () => 'the history of the clients was not linearizable',
    needsResource: false,
    needsClients: true,
    isCounted: false,
    aim: 'outlive-lease',
    underAttack: 'holds',
    epochs: null,
    judges: { ...NO_JUDGES, watched: ({ linearizable }) => linearizable === 'false' },
    closedForms: NO_CLOSED_FORMS,
  }),
  /** An adversary holds the highest ranks. */
  defineProperty({
    name: 'top-captured',
    description: 'the adversaries hold all of the highest ranks, as many as `count`',
    happened: (subject, count) =>
      count === 1
        ? `${subject} held the highest rank`
        : `${subject} held the ${count} highest ranks`,
    isCounted: true,
    needsResource: false,
    aim: 'capture',
    epochs: { wants: 'top', when: 'last' },
    underAttack: 'holds',
    judges: { ...NO_JUDGES, ranking: holdsTop },
    closedForms: { ...NO_CLOSED_FORMS, ranking: topRanksTheory },
  }),
  /**
   * An adversary holds the nodes after a victim on a ring in the order of ranks. The successor of a node is the next
   * higher one, and that of the highest is the lowest.
   */
  defineProperty({
    name: 'successors-captured',
    description:
      'the adversaries hold all nodes after an honest victim on a ring in the order of ranks, as many as `count`',
    happened: (subject, count) =>
      count === 1
        ? `${subject} held the successor of the victim`
        : `${subject} held the ${count} successors of the victim`,
    isCounted: true,
    needsResource: false,
    aim: 'capture',
    underAttack: 'holds',
    epochs: { wants: 'successors', when: 'last' },
    judges: { ...NO_JUDGES, ranking: holdsSuccessors },
    closedForms: { ...NO_CLOSED_FORMS, ranking: successorsTheory },
  }),
  /** Adversaries hold a majority of the identities. */
  defineProperty({
    name: 'majority-captured',
    description: 'adversaries hold more than half of all identities, which is a quorum',
    happened: (subject) => `${subject} held a majority of the identities`,
    aim: 'capture',
    epochs: null,
    judges: {
      ...NO_JUDGES,
      ranking: ({ members }) => 2 * members.filter(isForged).length > members.length,
    },
    closedForms: { ...NO_CLOSED_FORMS, ranking: majorityTheory },
    ...USUAL,
  }),
  /** The honest nodes alone are no majority, so that they elect no leader if the adversaries' nodes do not vote. */
  defineProperty({
    name: 'majority-denied',
    description:
      'adversaries hold at least half of all identities, so that honest nodes alone are no quorum',
    happened: (subject) => `${subject} could deny the honest nodes a majority`,
    aim: 'capture',
    epochs: null,
    judges: {
      ...NO_JUDGES,
      ranking: ({ members }) => 2 * members.filter(isForged).length >= members.length,
    },
    closedForms: { ...NO_CLOSED_FORMS, ranking: deniedTheory },
    ...USUAL,
  }),
  /** An adversary leads at least one of several epochs. */
  defineProperty({
    name: 'adversary-leads-once',
    description: 'an adversary has the highest rank in at least one of the epochs',
    happened: (subject) => `${subject} led at least one epoch`,
    aim: 'lead',
    epochs: { wants: 'top', when: 'each' },
    judges: {
      ...NO_JUDGES,
      epochs: (epochs) => epochs.some(({ leader }) => leader === 'adversary'),
    },
    closedForms: { ...NO_CLOSED_FORMS, epochs: anyEpochTheory },
    ...USUAL,
  }),
  /** Most honest nodes can no longer afford an identity. */
  defineProperty({
    name: 'honest-priced-out',
    description: 'in the last epoch fewer than half of the honest nodes have a claim that counts',
    happened: () => 'fewer than half of the honest nodes kept an identity',
    aim: 'capture',
    epochs: { wants: 'many', when: 'each' },
    judges: {
      ...NO_JUDGES,
      epochs(epochs, honest) {
        const ranking = epochs.at(-1)?.ranking ?? [];
        return 2 * ranking.filter((member) => !isForged(member)).length < honest;
      },
    },
    closedForms: NO_CLOSED_FORMS,
    ...USUAL,
  }),
] as const;

export const PROPERTIES = registry<typeof LISTED, Property>('property', LISTED);

export type PropertyName = keyof typeof PROPERTIES;

export const PROPERTY_NAMES = namesOf(PROPERTIES);

/** Whether a property is about what adversaries have, so that its sentence names them. */
export function isAboutAdversaries(name: PropertyName): boolean {
  const { happened } = PROPERTIES[name];
  return happened('one', 1) !== happened('another', 1);
}

/** The names of the properties that some kind of evidence can show. */
export function namesJudgedBy(...kinds: readonly (keyof Judges)[]): readonly PropertyName[] {
  return PROPERTY_NAMES.filter((name) =>
    kinds.some((kind) => PROPERTIES[name].judges[kind] !== null),
  );
}

/** Draws the victim of a run: the index of one of its honest nodes, in the order that the caller has. */
export function victimIndex(honest: number, runSeed: Seed): number {
  return createRandom(runSeed, 'victim').below(Math.max(1, honest));
}
