import 'should';
import { rejectUnknownExtensions } from '../../../../src/mesh/formats/gltf/gltf-extensions.js';
import { meshErrorOf } from '../mesh-error-of.js';

describe('rejectUnknownExtensions', () => {
  it('accepts required extensions that the reader implements, and those without geometry', () => {
    const extensionsRequired = [
      'EXT_mesh_gpu_instancing',
      'EXT_meshopt_compression',
      'EXT_structural_metadata',
      'EXT_texture_webp',
      'KHR_draco_mesh_compression',
      'KHR_lights_punctual',
      'KHR_materials_pbrSpecularGlossiness',
      'KHR_materials_unlit',
      'KHR_mesh_quantization',
      'KHR_texture_basisu',
      'KHR_texture_transform',
      'KHR_xmp_json_ld',
      'MSFT_texture_dds',
    ];
    rejectUnknownExtensions({ extensionsRequired });
    rejectUnknownExtensions({ extensionsUsed: ['ACME_shape'] });
    rejectUnknownExtensions({ extensionsRequired: 'ACME_shape' });
  });

  it('throws FORMAT_UNKNOWN with the name of any other', () => {
    for (const name of ['ACME_shape', 'CESIUM_RTC', 'KHR_gaussian_splatting', 'KHR_node_visibility', 'materials'])
      meshErrorOf(() => rejectUnknownExtensions({ extensionsRequired: ['KHR_materials_unlit', name] })).should.match({
        code: 'FORMAT_UNKNOWN',
        message: `Could not read the glTF: it requires the unsupported extension ${name}. Save it without this extension.`,
      });
    meshErrorOf(() => rejectUnknownExtensions({ extensionsRequired: [7] })).code.should.equal('FORMAT_UNKNOWN');
  });
});
