/**
 * @module
 * What a forger takes from received messages and shows in its own.
 */

import { describe, expect, it } from 'vitest';
import { forge, nothingObserved, observe } from '../../src/adversary/forging.ts';
import { candidacyText } from '../../src/election/authentication/authenticated.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { byzantineNodeOf } from './staging/byzantine-node.ts';

const [ONE, TWO, THREE] = [toRank(1), toRank(2), toRank(3)];
const BODY = { type: 'PROBE', candidate: THREE };

/** Of node 2 in an election, and the candidacy of 3 in it. */
function inElection(election: string) {
  const byzantineNode = byzantineNodeOf({ protocol: 'cr-join', level: 'L3' });
  const authentication = { ...byzantineNode.authentication, election };
  const proof = authentication.keysOf(THREE).sign(candidacyText(authentication, THREE));
  return { byzantineNode: { ...byzantineNode, authentication }, proof };
}

describe('a candidacy that a forger has been shown', () => {
  const [first, second] = [inElection('5'), inElection('6')];
  const shownBy = (...elections: (readonly [typeof first, proof: string])[]) => {
    const observed = nothingObserved();
    for (const [{ byzantineNode }, proof] of elections) {
      const sealed = { ...BODY, seal: { by: ONE, candidacies: { 3: proof } } };
      observe(observed, byzantineNode, { from: ONE, sealed });
    }
    const { byzantineNode } = elections.at(-1)?.[0] ?? first;
    return forge(observed, byzantineNode, { by: TWO, to: ONE, body: BODY }).seal?.candidacies;
  };

  it('is shown again', () => {
    expect(shownBy([first, first.proof])).toEqual({ 3: first.proof });
  });

  it('gives way to one of a newer election', () => {
    expect(shownBy([first, first.proof], [second, second.proof])).toEqual({ 3: second.proof });
  });

  it.each(['forged', first.proof])('does not give way to one that does not hold: %s', (proof) => {
    expect(shownBy([second, second.proof], [second, proof])).toEqual({ 3: second.proof });
  });
});
