/**
 * @module
 * Every route under /v1 and the documents beside them, as one chain: its type is what clients in TypeScript
 * are checked against (api-client.ts).
 */

import { metaRoutes } from './catalogue/meta.ts';
import { protocolRoutes } from './catalogue/protocols.ts';
import { threatModelRoutes } from './catalogue/threat-models.ts';
import { identityRoutes } from './claims/identities.ts';
import { createRouter } from './contract/router.ts';
import { electionRoutes } from './elections/routes/elections.ts';
import { calibrationRoutes } from './jobs/calibration/routes.ts';
import { designRoutes } from './jobs/design.ts';
import { forgeryRoutes } from './jobs/forgeries/routes.ts';
import { jobEventRoutes } from './jobs/job-events.ts';
import { runRoutes } from './jobs/runs/routes.ts';
import { sweepRoutes } from './jobs/sweeps/routes.ts';
import type { Services } from './services.ts';

/** The whole API but its monitoring. */
export function apiRoutes(services: Services) {
  return createRouter()
    .route('/', metaRoutes(services))
    .route('/', identityRoutes(services))
    .route('/', protocolRoutes())
    .route('/', electionRoutes(services))
    .route('/', threatModelRoutes(services))
    .route('/', runRoutes(services))
    .route('/', sweepRoutes(services))
    .route('/', forgeryRoutes(services))
    .route('/', jobEventRoutes(services))
    .route('/', designRoutes())
    .route('/', calibrationRoutes(services));
}
