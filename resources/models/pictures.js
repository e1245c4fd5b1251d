import { requestBlob } from './requests.js';

/**
 * Creates the pictures of the models that are shown, as blob URLs, one per model. `onLoad` is called after one was loaded.
 */
export function createPictures(onLoad) {
  // key of a model → its blob URL; undefined while it is loaded, and if it is not available
  const urls = new Map();

  async function load(key) {
    urls.set(key, undefined);
    try {
      const blob = await requestBlob(`/${key}/picture`);
      // Meanwhile it may not be shown any more.
      if (!urls.has(key) || urls.get(key)) return;
      urls.set(key, URL.createObjectURL(blob));
      onLoad(key);
    } catch {
      // The file has expired, or the service is not running: the entry is shown without a picture.
    }
  }

  return {
    /** Returns the URL of the picture of a model, or `undefined` until it was loaded. */
    get(key) {
      if (!urls.has(key)) void load(key);
      return urls.get(key);
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
