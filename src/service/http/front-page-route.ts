import type { FastifyInstance } from 'fastify';
import { type PackageInfo, readPackageInfo } from '../package-info.js';

// The page loads nothing and cannot be framed. The icon is empty, so that no browser requests /favicon.ico.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns the page. Its links are relative, so that they also work behind a proxy that adds a path. */
function formatFrontPage({ version, homepage }: PackageInfo): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Model Processing Service</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark }
body { max-width: 36rem; margin: 3rem auto; padding: 0 1.25rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25 }
h1 + p { margin-top: .25rem; opacity: .75 }
dt { margin-top: .75rem }
dd { margin: 0 }
</style>
</head>
<body>
<h1>Model Processing Service</h1>
<p>Version ${version}</p>
<p>This service repairs, checks and converts 3D models. It is the local service of Model Processing for Node-RED.</p>
<dl>
<dt><a href="openapi.json">openapi.json</a></dt>
<dd>Every request, reply and error of the API (OpenAPI 3.1)</dd>
<dt><a href="formats">formats</a></dt>
<dd>The formats, units, operations and limits of this service</dd>
<dt><a href="readyz">readyz</a></dt>
<dd>Whether the service accepts operations</dd>
<dt><a href="${homepage}">Documentation</a></dt>
<dd>Nodes for Node-RED, the command line, and the API with curl</dd>
</dl>
</body>
</html>
`;
}

/** Registers `GET /`: a page for people who open the base URL in a browser. It needs no token. */
export function registerFrontPageRoute(app: FastifyInstance): void {
  const page = formatFrontPage(readPackageInfo());
  app.get('/', async (_request, reply) =>
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY).type('text/html; charset=utf-8').send(page),
  );
}
