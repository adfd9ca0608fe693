// What the page says, by language.
export const messages = {
  en: {
    promise: {
      device: 'Reads the text of pictures and PDF files on this device. Nothing is sent anywhere.',
      server: 'Reads the text of pictures and PDF files. They go to this server and nowhere else.',
    },
    language: 'Language', open: 'Open a picture or PDF', camera: 'Camera', stop: 'Stop the camera', take: 'Keep this picture',
    hint: 'or drop one here, or paste it', picture: 'Picture', drop: 'No picture yet', show: 'Text over the picture',
    text: 'Text', download: 'Save the text', copy: 'Copy', times: 'Times', loading: 'Loading the model',
    ready: 'Ready', reading: 'Reading', done: (lines) => `${lines} ${lines === 1 ? 'line' : 'lines'} read`,
    nothing: 'No text was found', copied: 'Copied', noCamera: 'The camera cannot be used',
    decode: 'Decode', detect: 'Find lines', recognize: 'Read lines', total: 'Together', frames: 'Pictures a second',
    memory: 'Memory', build: 'Engine', key: 'API key of this server',
    pages: 'Pages', previous: 'Previous', next: 'Next', readingPage: (n, of) => `Reading page ${n} of ${of}`, described: (lines) => `The picture, with ${lines} lines of text`,
  },
  ko: {
    promise: {
      device: '이 기기에서 그림과 PDF 파일의 글자를 읽습니다. 아무것도 밖으로 보내지 않습니다.',
      server: '그림과 PDF 파일의 글자를 읽습니다. 이 서버로만 보내고 다른 곳으로는 보내지 않습니다.',
    },
    language: '언어', open: '그림이나 PDF 열기', camera: '카메라', stop: '카메라 끄기', take: '이 장면 남기기',
    hint: '또는 여기에 끌어다 놓거나 붙여 넣으세요', picture: '그림', drop: '아직 그림이 없습니다', show: '그림 위에 글자 표시',
    text: '글자', download: '글자 저장', copy: '복사', times: '걸린 시간', loading: '모델을 불러오는 중',
    ready: '준비되었습니다', reading: '읽는 중', done: (lines) => `${lines}줄을 읽었습니다`,
    nothing: '글자를 찾지 못했습니다', copied: '복사했습니다', noCamera: '카메라를 쓸 수 없습니다',
    decode: '그림 풀기', detect: '줄 찾기', recognize: '줄 읽기', total: '모두', frames: '초당 장면',
    memory: '메모리', build: '엔진', key: '이 서버의 API 키',
    pages: '쪽', previous: '이전', next: '다음', readingPage: (n, of) => `${of}쪽 가운데 ${n}쪽을 읽는 중`, described: (lines) => `그림, 글자 ${lines}줄`,
  },
};
