import type { FastifyInstance } from 'fastify';
import type { WebSessions } from '../../auth/web-sessions.js';
import type { Limits } from '../../defaults.js';
import { ServiceError } from '../../service-error.js';
import { type OwnerRouteDependencies, registerOwnerRoutes } from './owner-routes.js';
import { registerPageRoutes } from './page-routes.js';
import { type ProgressRouteDependencies, registerProgressRoutes } from './progress-routes.js';
import { type ReportRouteDependencies, registerReportRoute } from './report-route.js';
import { registerSessionRoutes, type SessionRouteDependencies } from './session-routes.js';

/** The dependencies of the page and its routes. */
export interface WebDependencies
  extends OwnerRouteDependencies,
    ProgressRouteDependencies,
    ReportRouteDependencies,
    SessionRouteDependencies {
  webSessions: WebSessions;
  limits: Limits;
}

/** Registers the page for people, its sessions, and the routes for owners. */
export function registerWeb(app: FastifyInstance, dependencies: WebDependencies): void {
  app.removeAllContentTypeParsers();
  // A form of another page can send this only after the browser has asked the service, which does not permit it.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body)));
    } catch (cause) {
      done(new ServiceError('REQUEST_INVALID', 'Invalid request body: expected JSON.', { cause }));
    }
  });
  registerPageRoutes(app, dependencies);
  registerSessionRoutes(app, dependencies);
  registerProgressRoutes(app, dependencies);
  registerReportRoute(app, dependencies);
  app.register((scope, _options, done) => {
    registerOwnerRoutes(scope, dependencies);
    done();
  });
}
