/**
 * @module
 * What is right each for itself and cannot work together, once the network is known: numbers of the
 * protocol, options of the detector. The rules are the registries'; both names are told.
 */

import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorClash, detectorText } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { flagClash } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';

/** What is chosen by name and tuned by numbers. */
interface Choices {
  readonly protocol: ProtocolName;
  readonly flags?: Flags | undefined;
  readonly detector?: DetectorSpec | undefined;
}

/** Refuses it with LabError `arguments`. */
export function assertCompatible(
  { protocol, flags = {}, detector }: Choices,
  timing: Timing,
): void {
  const fault = flagClash(protocol, timing, flags);
  if (fault !== null) throw new LabError('arguments', `flags: ${fault.flag} ${fault.detail}`);
  const clash = detector === undefined ? null : detectorClash(detector, timing);
  if (detector === undefined || clash === null) return;
  throw new LabError('arguments', `detector ${JSON.stringify(detectorText(detector))} ${clash}`);
}
