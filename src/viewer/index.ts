/** The viewer of models, bundled as `resources/viewer.js`. */
export { createViewer, type Viewer, type ViewerModel, type ViewerOptions } from './create-viewer.js';
export { PreviewError } from './preview/preview-error.js';
export { ENGLISH } from './texts/english.js';
export { GERMAN } from './texts/german.js';
export type { ViewerTexts } from './texts/viewer-texts.js';
