import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Report } from '../../../api/index.js';
import { BlockBuffers } from '../../blobs/block-buffers.js';
import { createHtmlReport, type ReportedModel } from '../../command-line/html-report/create-html-report.js';
import { readPackageInfo, readViewerModule } from '../../package-info.js';
import { ServiceError } from '../../service-error.js';
import type { Operations } from '../../store/operations.js';
import type { FileRouteDependencies } from '../file-routes.js';
import { formatContentDisposition } from '../filename.js';
import { findInput } from '../find-input.js';
import { requireOperation } from '../operation-records.js';
import { createStoredFileReader } from '../stored-file-reader.js';
import { createSessionAuthentication, type SessionDependencies } from './authenticate-session.js';
import { requireSession } from './session-routes.js';

/** The dependencies of the HTML report. */
export interface ReportRouteDependencies
  extends SessionDependencies,
    Pick<FileRouteDependencies, 'blobs' | 'clock' | 'damage' | 'files'> {
  operations: Operations;
}

/** Previews and pictures are small; the service never holds a whole model in memory. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const Id = Type.String({ minLength: 36, maxLength: 36 });
const Query = Type.Object({
  language: Type.Union([Type.Literal('en'), Type.Literal('de')]),
  preview: Id,
  picture: Id,
  beforePreview: Type.Optional(Id),
  beforePicture: Type.Optional(Id),
});

/** Reads a stored file of `owner`. Throws the errors of `findInput`, and `FIELD_INVALID` for one that is too large. */
async function readStoredFile(id: string, owner: string, dependencies: ReportRouteDependencies): Promise<Buffer> {
  const file = await findInput(dependencies.files, id, owner, 'file');
  if (file.size > MAX_FILE_BYTES) throw new ServiceError('FIELD_INVALID', `The file ${id} is no preview or picture.`);
  const reader = createStoredFileReader(file, file.size - 1, dependencies, new BlockBuffers());
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of reader.readFrom(0)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } finally {
    await reader.close();
  }
}

/**
 * Registers `GET /ui/reports/{operationId}`: the report of an operation as one HTML file, as `process --html` writes it. The
 * query names the previews and pictures of the model, and of that before it.
 */
export function registerReportRoute(app: FastifyInstance, dependencies: ReportRouteDependencies): void {
  const authenticate = createSessionAuthentication(dependencies);
  const readModel = async (preview: string, picture: string, owner: string): Promise<ReportedModel> => ({
    preview: await readStoredFile(preview, owner, dependencies),
    picture: await readStoredFile(picture, owner, dependencies),
  });

  app.get<{ Params: { id: string }; Querystring: Static<typeof Query> }>(
    '/ui/reports/:id',
    { schema: { querystring: Query }, config: { isDownload: true } },
    async (request, reply) => {
      const { userId } = await requireSession(authenticate, request, reply);
      const { language, preview, picture, beforePreview, beforePicture } = request.query;
      const id = request.params.id.toLowerCase();
      const { report: text, filename } = requireOperation(await dependencies.operations.find(id, userId), id);
      if (text === null) throw new ServiceError('NOT_COMPLETED', `Operation ${id} has no report.`);
      const report: Report = JSON.parse(text);
      const html = createHtmlReport({
        ...{ filename, language, report, viewerModule: readViewerModule(), version: readPackageInfo().version },
        after: await readModel(preview, picture, userId),
        before:
          beforePreview === undefined || beforePicture === undefined
            ? undefined
            : await readModel(beforePreview, beforePicture, userId),
      });
      reply.header('content-disposition', formatContentDisposition(`${filename.replace(/\.[^.]*$/, '')}-report.html`));
      return reply.header('content-security-policy', 'sandbox').type('text/html; charset=utf-8').send(html);
    },
  );
}
