import { completeOperation } from '../operations/complete-operation.js';
import type { Connection } from '../service/connection.js';
import type { ModelFiles } from './model-entry.js';

/** The pixels of a picture per pixel of the editor: it is sharp on screens with a high resolution, and when zoomed in. */
const PIXEL_RATIO = 2;
/** The ratio of the width and the height of a picture. */
const ASPECT_RATIO = 3 / 2;
/** The largest picture that a service creates, in pixels. */
const MAX_PIXELS = 4096;

/** The models to show, and the width of the picture in pixels of the editor. */
export interface PreviewOptions {
  modelId: string;
  compareId: string | undefined;
  pictureWidth: number;
  signal: AbortSignal;
}

/**
 * Creates the picture of a model, its preview, and that of the model it is compared with. Calls `onFile` after each.
 * Returns whether the service creates previews. Throws the errors of the operations.
 */
export async function createPreviewFiles(
  connection: Connection,
  { modelId, compareId, pictureWidth, signal }: PreviewOptions,
  onFile: (name: keyof ModelFiles, fileId: string) => void,
): Promise<boolean> {
  const names = await connection.operationNames.required(signal);
  const hasPreview = names.includes('preview');
  // Services with previews also have priorities; others may not know the parameter.
  const priority = hasPreview ? { priority: 'low' } : {};
  const create = async (file: keyof ModelFiles, operation: string, parameters: object) => {
    const { fileId } = await completeOperation(connection, operation, { ...parameters, ...priority }, { signal });
    if (fileId !== undefined) onFile(file, fileId);
  };
  // A service that lists no operations has those of the common API.
  if (names.length === 0 || names.includes('thumbnail')) {
    const width = Math.min(MAX_PIXELS, pictureWidth * PIXEL_RATIO);
    const size = { width, height: Math.round(width / ASPECT_RATIO) };
    await create('picture', 'thumbnail', { inputId: modelId, ...size, ...CAMERA });
  }
  if (hasPreview) await create('mesh', 'preview', { inputId: modelId });
  if (hasPreview && compareId !== undefined) await create('before', 'preview', { inputId: compareId });
  return hasPreview;
}

/** The view of the pictures: from the front, the right and above. */
const CAMERA = { cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35 };

/** The size of a picture from one of the eight directions, in pixels. */
const VIEW_SIZE = { width: 480, height: 320 };
/** The number of directions that `createViewPicture` draws. */
export const VIEW_COUNT = 8;

/**
 * Creates the picture of a model from one of eight directions: 0 to 3 from above, 4 to 7 from below, each a quarter turn
 * further. Returns the id of its file. Throws the errors of the operation.
 */
export async function createViewPicture(
  connection: Connection,
  modelId: string,
  view: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const cameraAngleX = view < VIEW_COUNT / 2 ? CAMERA.cameraAngleX : -CAMERA.cameraAngleX;
  const turned = CAMERA.cameraAngleZ + 90 * (view % 4);
  const camera = { cameraAngleX, cameraAngleY: 0, cameraAngleZ: turned > 180 ? turned - 360 : turned };
  const names = await connection.operationNames.required(signal);
  const priority = names.includes('preview') ? { priority: 'low' } : {};
  const parameters = { inputId: modelId, ...VIEW_SIZE, ...camera, ...priority };
  return (await completeOperation(connection, 'thumbnail', parameters, { signal })).fileId;
}
