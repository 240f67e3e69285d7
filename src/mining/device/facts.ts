/**
 * @module
 * A device that has searched, as a schema and for people.
 */

import { z } from 'zod';
import type { DeviceFacts } from './device.ts';

export const deviceSchema = z
  .object({
    name: z.string(),
    isSoftware: z
      .boolean()
      .describe('Whether it computes on the processor, so that its rates are not those of a card.'),
  })
  .readonly();

/** The name of a device. The rates of a software device are never called those of a graphics card. */
export function deviceText(device: DeviceFacts | undefined): string {
  if (device === undefined) return 'a device';
  return device.isSoftware ? `${device.name}, a software device: no graphics card` : device.name;
}
