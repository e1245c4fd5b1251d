import { requestBlob } from './requests.js';

/**
 * Creates the pictures of the models that are shown, as blob URLs, one per model. `onLoad` is called after one was loaded.
 */
export function createPictures(onLoad) {
  // key of a model → its blob URL; undefined while it is loaded, and if it is not available
  const urls = new Map();
  // Keys of models whose pictures could not be loaded.
  const failed = new Set();

  async function load(key) {
    urls.set(key, undefined);
    failed.delete(key);
    try {
      const blob = await requestBlob(`/${key}/picture`);
      // Meanwhile it may not be shown any more.
      if (!urls.has(key) || urls.get(key)) return;
      urls.set(key, URL.createObjectURL(blob));
      onLoad(key);
    } catch {
      // The file has expired, or the service is not running: the entry is shown without a picture.
      failed.add(key);
    }
  }

  return {
    /** Returns the URL of the picture of a model, or `undefined` until it was loaded. */
    get(key) {
      if (!urls.has(key)) void load(key);
      return urls.get(key);
    },
    /** Loads pictures that could not be loaded again when they are needed. */
    retry() {
      for (const key of failed) urls.delete(key);
      failed.clear();
    },
    /** Revokes the URLs of all models but these. */
    retain(keys) {
      for (const [key, url] of urls) {
        if (keys.has(key)) continue;
        if (url) URL.revokeObjectURL(url);
        urls.delete(key);
      }
    },
  };
}
