/**
 * @module
 * Says in plain English what became of a message, and how an election stands. The sentences on events are those of
 * src/simulation/report/sentences.ts.
 */

import type { Election } from '../../api/contract.ts';
import type { MessageRow } from '../timeline/timeline.ts';

/** What became of a message: `in flight`, `delivered in event 7`. People count events from 1. */
export function fateText({ fate, ended }: MessageRow): string {
  const inEvent = ended === null ? '' : ` in event ${ended + 1}`;
  if (fate === 'recipient down') return `lost${inEvent}: its recipient was down`;
  return `${fate}${inEvent}`;
}

/** The state of an election in one sentence. */
export function stateSentence(election: Election): string {
  const { status, leader, time, inFlight, awaiting } = election;
  if (status === 'created') return 'The election has not been started.';
  const first = awaiting.length === 0 ? '' : `It waits for node ${awaiting.join(', ')}. `;
  const leads =
    leader === null
      ? 'The live nodes do not follow one leader'
      : `All live nodes follow node ${leader.rank}`;
  const flying = `${inFlight} ${inFlight === 1 ? 'message is' : 'messages are'} in flight`;
  const rest = status === 'idle' ? 'The election is at rest' : flying;
  return `${first}Tick ${time}. ${leads}. ${rest}.`;
}
