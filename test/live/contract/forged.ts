/**
 * @module
 * The forged message of the contract: by a sender without the key of node 2, who announces in its name that it leads.
 */

import type { SealedMessage } from '../../../src/election/authentication/authenticated.ts';
import type { Rank } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { ContractProtocol } from './scenarios.ts';
import { NODES } from './scenarios.ts';

/** The node in whose name it is. */
export const FORGED_NAME = 2;

/** Its number is above those of honest messages, so that its signature is looked at. */
export function forgedMessages(protocol: ContractProtocol, by: Rank): readonly SealedMessage[] {
  const { announcement } = PROTOCOLS[protocol].forgery;
  if (typeof announcement === 'string') throw new RangeError(announcement);
  const subject = { about: by, home: by, epoch: 1_000, serial: 1, ringNodes: NODES };
  const seal = { by, number: 2 ** 31, signature: '00'.repeat(64) };
  return announcement.messages(subject).map((message) => ({ ...message, seal }));
}
