/**
 * @module
 * What a file of the user imports from 'usurp': everything that a definition of a protocol, behaviour,
 * defence, detector or property needs. Nothing else of the lab is public.
 */

export type {
  Behaviour,
  BehaviourStage,
  ByzantineNode,
  WrappingStep,
} from '../../adversary/behaviours/behaviour.ts';
export { AIMS, defineBehaviour } from '../../adversary/behaviours/behaviour.ts';
export type { ByzantineStep, Hooks } from '../../adversary/behaviours/byzantine-machine.ts';
export {
  bestAccomplice,
  createByzantine,
  recipientsOf,
  sendForged,
} from '../../adversary/behaviours/byzantine-machine.ts';
export { passOn, sendAs } from '../../adversary/behaviours/sender.ts';
export type { Observed } from '../../adversary/forging.ts';
export { bodyOf, forge, nothingObserved, observe, observeReturn } from '../../adversary/forging.ts';
export type {
  CheckedFlight,
  CheckedNode,
  CheckedWorld,
  WorldJudge,
} from '../../checking/properties/world-judge.ts';
export type { SealedMessage } from '../../election/authentication/authenticated.ts';
export { namedIn } from '../../election/authentication/candidacies.ts';
export type {
  Defence,
  DefenceContext,
  SealedDefenceContext,
} from '../../election/defences/defence.ts';
export { defineDefence, fittingSetting, WITHOUT_LIMITS } from '../../election/defences/defence.ts';
export type { Guarded, GuardStep } from '../../election/defences/guarded.ts';
export { beginAnew, initGuarded, stepInner } from '../../election/defences/guarded.ts';
export type { FaultKind, Unaffected } from '../../election/definition/drawn-faults.ts';
export {
  AFFECTED_BUT_BY_CLOCKS,
  AFFECTED_BUT_BY_CUTS_BETWEEN_NODES,
  AFFECTED_BY_ALL,
  unaffectedBy,
} from '../../election/definition/drawn-faults.ts';
export type { FaultCell, FaultRow } from '../../election/definition/fault-row.ts';
export { breaks, live, none, ok, stop } from '../../election/definition/fault-row.ts';
export type { FlagFault, Flags, NumberFlags, NumberOf } from '../../election/definition/flags.ts';
export { chosenFlag, faultUnlessBelow, numbersOf, TICKS } from '../../election/definition/flags.ts';
export type { ForgedMessages, Forgery, ForgerySubject } from '../../election/definition/forgery.ts';
export {
  bySender,
  GREATEST,
  naming,
  reasonIn,
  STORE_ALONE,
} from '../../election/definition/forgery.ts';
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
  Waiting,
} from '../../election/definition/protocol.ts';
export { defineProtocol } from '../../election/definition/protocol.ts';
export { createBeats } from '../../election/detectors/beats.ts';
export type {
  Detector,
  DetectorEffects,
  DetectorEvent,
} from '../../election/detectors/detector.ts';
export { isDetectorType, nextCount } from '../../election/detectors/detector.ts';
export type {
  DetectorDefinition,
  DetectorOption,
  ReadOption,
} from '../../election/detectors/detector-definition.ts';
export {
  BEATING_NODES_MAX,
  clashIfBelow,
  defineDetector,
  EVERY_OPTION,
  honestIntervalTicks,
  switchOption,
  ticksFrom,
} from '../../election/detectors/detector-definition.ts';
export type { Handlers, Step } from '../../election/handlers.ts';
export { createMachine } from '../../election/handlers.ts';
export type { Reactions } from '../../election/intercepted.ts';
export { intercepted, react } from '../../election/intercepted.ts';
export type { Effects, Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
export { countOf, integerIn, memberOf } from '../../election/message-members.ts';
export type { ProtocolName } from '../../election/registry.ts';
export { PROTOCOLS } from '../../election/registry.ts';
export {
  electionOnDisk,
  HOLE,
  ONE_LAP,
  PLAIN_RING,
  PLAIN_RING_FAULTS,
  RELIABLE_RING,
  RING_FORGERY,
  successor,
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
export { isSeen } from '../../experiment/properties/sighting.ts';
