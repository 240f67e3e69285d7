/**
 * @module
 * What a file of the user imports from 'usurp': everything that a definition of a protocol, behaviour,
 * defence, detector or property needs. Nothing else of the lab is public.
 */

export type { Behaviour, ByzantineNode } from '../../adversary/behaviours/behaviour.ts';
export { AIMS, defineBehaviour } from '../../adversary/behaviours/behaviour.ts';
export type { ByzantineStep, Hooks } from '../../adversary/behaviours/byzantine-machine.ts';
export {
  bestAccomplice,
  createByzantine,
  recipientsOf,
  sendForged,
} from '../../adversary/behaviours/byzantine-machine.ts';
export type { Defence, DefenceContext } from '../../election/defences/defence.ts';
export { defineDefence } from '../../election/defences/defence.ts';
export type { FaultCell, FaultRow } from '../../election/definition/fault-row.ts';
export { breaks, live, none, ok, stop } from '../../election/definition/fault-row.ts';
export type { Forgery, ForgerySubject } from '../../election/definition/forgery.ts';
export { bySender, GREATEST, naming } from '../../election/definition/forgery.ts';
export type {
  Claim,
  Kind,
  MessageDefinition,
  MessageFacts,
} from '../../election/definition/message-definition.ts';
export { DIRECT, RELAYED } from '../../election/definition/message-definition.ts';
export type {
  AnyMachine,
  ProtocolDefinition,
  RingTokens,
} from '../../election/definition/protocol.ts';
export { defineProtocol } from '../../election/definition/protocol.ts';
export type {
  Detector,
  DetectorEffects,
  DetectorEvent,
} from '../../election/detectors/detector.ts';
export type { DetectorDefinition } from '../../election/detectors/detector-definition.ts';
export { defineDetector, ticksFrom } from '../../election/detectors/detector-definition.ts';
export type { Handlers, Step } from '../../election/handlers.ts';
export { createMachine } from '../../election/handlers.ts';
export { intercepted } from '../../election/intercepted.ts';
export type { Effects, Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
export { successor } from '../../election/ring/plain-ring.ts';
export {
  electionOnDisk,
  HOLE,
  ONE_LAP,
  PLAIN_RING,
  PLAIN_RING_FAULTS,
  RELIABLE_RING,
  RING_FORGERY,
} from '../../election/ring/ring-facts.ts';
export type { Timing } from '../../election/timing.ts';
export {
  announcementTicks,
  answerTicks,
  ringElectionTicks,
  silenceTicks,
} from '../../election/timing.ts';
export type {
  ClosedForms,
  Elected,
  Epoch,
  Judges,
  Owner,
  Property,
  Ranking,
} from '../../experiment/properties/property.ts';
export { defineProperty, isForged } from '../../experiment/properties/property.ts';
export type { Sighting } from '../../experiment/properties/sighting.ts';
