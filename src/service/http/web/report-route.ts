import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Report } from '../../../api/index.js';
import { createReportParts, type ReportedModel } from '../../command-line/html-report/create-html-report.js';
import { createReportScript } from '../../command-line/html-report/create-report-script.js';
import type { Limits } from '../../defaults.js';
import { readPackageInfo, readViewerModule } from '../../package-info.js';
import { ServiceError } from '../../service-error.js';
import type { Operations } from '../../store/operations.js';
import type { FileRow, OperationRow } from '../../store/schema.js';
import { checkExistence, type FileRouteDependencies } from '../file-routes.js';
import { formatContentDisposition } from '../filename.js';
import { findInput } from '../find-input.js';
import { requireOperation } from '../operation-records.js';
import { createStoredFileReader } from '../stored-file-reader.js';
import { streamReply } from '../stream-reply.js';
import { createUserSlots } from '../user-slots.js';
import { createSessionAuthentication, type SessionDependencies } from './authenticate-session.js';
import { type BodyPart, createReportBody, createReportBuffers } from './report-body.js';
import { requireSession } from './session-routes.js';

/** The dependencies of the HTML report. */
export interface ReportRouteDependencies
  extends SessionDependencies,
    Pick<FileRouteDependencies, 'blobs' | 'clock' | 'damage' | 'files'> {
  operations: Operations;
  limits: Pick<Limits, 'maxReportsPerUser'>;
}

/** Previews and pictures are small. Bounds the length of a report. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

// A report is sent within about a second.
const RETRY_AFTER_S = 1;

const Id = Type.String({ minLength: 36, maxLength: 36 });
const Query = Type.Object({
  language: Type.Union([Type.Literal('en'), Type.Literal('de')]),
  preview: Id,
  picture: Id,
  beforePreview: Type.Optional(Id),
  beforePicture: Type.Optional(Id),
});

type ReportQuery = Static<typeof Query>;

/**
 * Returns a function that finds a file to embed in the report of an operation. It throws the errors of `findInput`, and
 * `FIELD_INVALID` for a file that is not the output of an operation of that kind on a model of the report.
 */
function createFileFinder({ owner, input_id, output_id }: OperationRow, dependencies: ReportRouteDependencies) {
  const { files, operations, clock } = dependencies;
  const inputIds = [input_id, ...(output_id === null ? [] : [output_id])];
  return async (shownId: string, kind: 'preview' | 'thumbnail'): Promise<FileRow> => {
    const file = await findInput(files, shownId, owner, 'file');
    const { id, size } = file;
    if (size > MAX_FILE_BYTES || !(await operations.isOutput({ id, owner, kind, inputIds }))) {
      throw new ServiceError('FIELD_INVALID', `The file ${id} is no ${kind} of a model of this report.`);
    }
    await checkExistence(file, dependencies);
    await files.recordRead(file, clock.now());
    return file;
  };
}

/** Finds the files that a query names. */
async function findModels(
  { preview, picture, beforePreview, beforePicture }: ReportQuery,
  find: ReturnType<typeof createFileFinder>,
): Promise<{ before: ReportedModel<FileRow> | undefined; after: ReportedModel<FileRow> }> {
  const findModel = async (previewId: string, pictureId: string): Promise<ReportedModel<FileRow>> => ({
    preview: await find(previewId, 'preview'),
    picture: await find(pictureId, 'thumbnail'),
  });
  return {
    after: await findModel(preview, picture),
    before:
      beforePreview === undefined || beforePicture === undefined
        ? undefined
        : await findModel(beforePreview, beforePicture),
  };
}

/**
 * Registers `GET /ui/reports/{operationId}`: the report of an operation as one HTML file, as `process --html` writes it. The
 * query names the previews and pictures of the model, and of that before it. They are read while the report is sent, so
 * that reports take a bounded memory, whatever number of clients requests them and however slowly these read.
 */
export function registerReportRoute(app: FastifyInstance, dependencies: ReportRouteDependencies): void {
  const { operations, limits } = dependencies;
  const authenticate = createSessionAuthentication(dependencies);
  const buffers = createReportBuffers();
  const acquireSlot = createUserSlots(limits.maxReportsPerUser, () => {
    const message = `Too many reports: ${limits.maxReportsPerUser} are being sent to this user. Retry later.`;
    return new ServiceError('TOO_MANY_REPORTS', message, { retryAfterS: RETRY_AFTER_S });
  });
  let script: { text: string; bytes: Buffer } | undefined; // read once: all reports share it
  const readScript = () => {
    if (!script) {
      const text = createReportScript(readViewerModule());
      script = { text, bytes: Buffer.from(text) };
    }
    return script;
  };

  const sendReport = async (reply: FastifyReply, row: OperationRow, text: string, query: ReportQuery) => {
    const { filename } = row;
    const { text: scriptText, bytes: scriptBytes } = readScript();
    const report: Report = JSON.parse(text);
    const models = await findModels(query, createFileFinder(row, dependencies));
    const content = { filename, language: query.language, report, script: scriptText, ...models };
    const readers: { close(): Promise<void> }[] = [];
    const parts = createReportParts({ ...content, version: readPackageInfo().version }).map((part): BodyPart => {
      if (typeof part === 'string') return part === scriptText ? scriptBytes : Buffer.from(part);
      const reader = createStoredFileReader(part.file, part.file.size - 1, dependencies, buffers);
      readers.push(reader);
      return { size: part.file.size, readFrom: reader.readFrom };
    });
    const { size, readFrom } = createReportBody(parts);
    const name = `${filename.replace(/\.[^.]*$/, '')}-report.html`;
    reply.headers({
      'content-disposition': formatContentDisposition(name),
      'content-security-policy': 'sandbox',
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(size),
    });
    if (reply.request.method === 'HEAD') return reply.send('');
    try {
      return await streamReply(reply, readFrom(0), { start: 0, end: size - 1, readFrom, buffers });
    } finally {
      await Promise.all(readers.map((reader) => reader.close()));
    }
  };

  app.route<{ Params: { id: string }; Querystring: ReportQuery }>({
    method: ['GET', 'HEAD'],
    url: '/ui/reports/:id',
    schema: { querystring: Query },
    config: { isDownload: true },
    handler: async (request, reply) => {
      const { userId } = await requireSession(authenticate, request, reply);
      const releaseSlot = acquireSlot(userId);
      try {
        const id = request.params.id.toLowerCase();
        const row = requireOperation(await operations.find(id, userId), id);
        if (row.report === null) throw new ServiceError('NOT_COMPLETED', `Operation ${id} has no report.`);
        return await sendReport(reply, row, row.report, request.query);
      } finally {
        releaseSlot();
      }
    },
  });
}
