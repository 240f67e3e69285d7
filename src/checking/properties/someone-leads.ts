/**
 * @module
 * An honest node leads. If none ever does, the properties about leaders hold but say nothing.
 */

import type { CheckedProperty } from '../property.ts';
import { leadersIn } from './followers.ts';

export const SOMEONE_LEADS: CheckedProperty = {
  name: 'someone-leads',
  kind: 'sometimes',
  description: 'an honest live node leads',
  claim: { unsupportedReason: () => null, matrix: [] },
  partner: null,
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => leadersIn(view).length > 0,
  breach: () => 'no honest node leads',
};
