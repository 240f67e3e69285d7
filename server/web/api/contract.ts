/**
 * @module
 * This folder contains what the lab knows of the API. This file names the types of the contract, which
 * `npm run check:web` generates from the OpenAPI document into build/contract.d.ts.
 */

import type { components } from '../../../build/contract.d.ts';

export type { paths } from '../../../build/contract.d.ts';

type Schemas = components['schemas'];

/** The type of a schema of the OpenAPI document, by its name. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];

export type Problem = Schema<'Problem'>;
export type Job = Schema<'Job'>;
export type JobEvent = Schema<'JobEvent'>;
export type Election = Schema<'Election'>;
