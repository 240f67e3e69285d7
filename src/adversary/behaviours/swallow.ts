/**
 * @module
 * A3: whatever it is sent goes no further: it passes nothing on and answers nobody, but speaks for itself
 * as if it had heard nothing, and is up for every detector. No signature helps: a ring that runs one way
 * has one way, and this node is on it.
 */

import { isDetectorType } from '../../election/detectors/detector.ts';
import { WORDS } from '../words.ts';
import type { Behaviour } from './behaviour.ts';
import { createCorrupted } from './corrupting.ts';

export const SWALLOW: Behaviour = {
  name: 'swallow',
  attack: 'A3',
  summary: 'Drops every message that it should pass on or answer, and is up all the same.',
  aim: 'stop',
  needsTopId: false,
  unsupportedReason: (protocol) => WORDS[protocol].lacks.answering ?? null,
  corrupt: (machine, byzantineNode) =>
    createCorrupted(machine, byzantineNode, {
      init: () => null,
      hear: (_forger, event) => event.type !== 'deliver' || isDetectorType(event.message.type),
    }),
};
