import should from 'should';
import { fillNames } from '../../src/web/texts/fill-names.js';
import { GERMAN_WARNINGS } from '../../src/web/texts/german-problems.js';

describe('The text of a warning on the page', () => {
  const cases: [string, string, string][] = [
    [
      'HELPERS_DROPPED',
      '2 modifiers were left out: “v1. new”, “b”.',
      'Hilfskörper des Slicers wurden ausgelassen: „v1. new“, „b“.',
    ],
    ['HELPERS_DROPPED', '1 modifier was left out.', 'Hilfskörper des Slicers wurden ausgelassen.'],
    [
      'HELPERS_DROPPED',
      '1 helper body was left out: the format stl cannot store its role. 3MF keeps negative volumes.',
      'Hilfskörper des Slicers wurden ausgelassen.',
    ],
    [
      'PLATES_COMBINED',
      'The file has 3 plates, which are read as one model: 1 “Lid”, 2, 3. Select one by the parameter plate.',
      'Die Datei hat mehrere Platten, die als ein Modell gelesen wurden: 1 „Lid“, 2, 3.',
    ],
    [
      'PLATE_SELECTED',
      'One of 2 plates was read: 2. The others are 1.',
      'Nur eine von mehreren Platten wurde gelesen: 2.',
    ],
  ];
  for (const [code, message, german] of cases)
    it(`has the names that the service lists: ${message}`, () => {
      should(fillNames(GERMAN_WARNINGS[code] ?? '', message)).equal(german);
    });
});
