import { loadAssimp } from '../assimp/load-assimp.js';
import type { Format } from '../format.js';
import { declareNodeEnds } from './fbx-binary.js';
import { disconnectCoarserLevels } from './fbx-levels.js';
import { isNamedFbx, parseNamedFbx } from './fbx-reader.js';
import { readFbxTransform } from './fbx-settings.js';

/** FBX, binary or text: version 7 is read by assimp, version 6 by our own reader; older ones are rejected. */
export const FBX: Format = {
  id: 'fbx',
  label: 'an FBX file',
  extensions: ['fbx'],
  mediaType: 'application/x-fbx',
  recognizes: ({ start }) => /^Kaydara FBX Binary|^(?:;[^\n]*\n\s*)*FBXHeaderExtension:/.test(start),
  hasUnits: true,
  read: parseNamedFbx,
  loadReader: (bytes) =>
    isNamedFbx(bytes)
      ? undefined
      : loadAssimp({
          name: 'FBX',
          extension: 'fbx',
          signature: /^Kaydara FBX Binary|FBXHeaderExtension/,
          transform: readFbxTransform,
          prepare: (content) => disconnectCoarserLevels(declareNodeEnds(content)),
        }),
};
