/**
 * @module
 * Every route under /v1 and the documents beside them, as one chain: its type is what clients in TypeScript
 * are checked against (api-client.ts).
 */

import { algorithmRoutes } from './algorithms.ts';
import { calibrationRoutes } from './calibration.ts';
import { designRoutes } from './design.ts';
import { electionRoutes } from './elections.ts';
import { forgeryRoutes } from './forgeries.ts';
import { identityRoutes } from './identities.ts';
import { metaRoutes } from './meta.ts';
import { createRouter } from './router.ts';
import { runRoutes } from './runs.ts';
import type { Services } from './services.ts';
import { sweepRoutes } from './sweeps.ts';
import { threatModelRoutes } from './threat-models.ts';

/** The whole API but its monitoring. */
export function apiRoutes(services: Services) {
  return createRouter()
    .route('/', metaRoutes(services))
    .route('/', identityRoutes(services))
    .route('/', algorithmRoutes())
    .route('/', electionRoutes(services))
    .route('/', threatModelRoutes(services))
    .route('/', runRoutes(services))
    .route('/', sweepRoutes(services))
    .route('/', forgeryRoutes(services))
    .route('/', designRoutes())
    .route('/', calibrationRoutes(services));
}
