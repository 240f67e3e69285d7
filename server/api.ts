/**
 * @module
 * Every route under /v1 and the documents beside them, as one chain: its type is what clients in TypeScript
 * are checked against (api-client.ts).
 */

import { algorithmRoutes } from './algorithms.ts';
import { identityRoutes } from './claims/identities.ts';
import { electionRoutes } from './elections/elections.ts';
import { calibrationRoutes } from './jobs/calibration.ts';
import { designRoutes } from './jobs/design.ts';
import { forgeryRoutes } from './jobs/forgeries.ts';
import { jobEventRoutes } from './jobs/job-events.ts';
import { runRoutes } from './jobs/runs.ts';
import { sweepRoutes } from './jobs/sweeps.ts';
import { threatModelRoutes } from './jobs/threat-models.ts';
import { metaRoutes } from './meta.ts';
import { createRouter } from './router.ts';
import type { Services } from './services.ts';

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
    .route('/', jobEventRoutes(services))
    .route('/', designRoutes())
    .route('/', calibrationRoutes(services));
}
