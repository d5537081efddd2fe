<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AdvancedSettings</name>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>引导强度</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Doubtful from</source>
        <translation>可疑界限</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Guidance and temperature as the model asks</source>
        <translation>引导和温度按模型的要求</translation>
    </message>
    <message>
        <source>Each model brings the values that suit it; change a value to use another.</source>
        <translation>每个模型自带合适的值；改动数值即可使用别的值。</translation>
    </message>
    <message>
        <source>How strong the noise is that every patch starts from; less is steadier and less lively.</source>
        <translation>每块起始噪声的强度；越小越稳定，也越少生气。</translation>
    </message>
    <message>
        <source>Solver steps per patch: more are slower and a little finer.</source>
        <translation>每块的求解步数：越多越慢，声音略细致。</translation>
    </message>
    <message>
        <source>How closely the sound keeps to text and voice; 1 = not forced.</source>
        <translation>声音贴合文本和音色的程度；1 = 不加强。</translation>
    </message>
    <message>
        <source>Longest length</source>
        <translation>最长长度</translation>
    </message>
    <message>
        <source>A take is cut after this many patches.</source>
        <translation>超过这么多块后，版本会被截断。</translation>
    </message>
    <message>
        <source>How often a doubtful take is made anew with another seed; it stays in the list.</source>
        <translation>可疑的版本换种子重新生成的次数；原版本留在列表中。</translation>
    </message>
    <message>
        <source>Shortest length</source>
        <translation>最短长度</translation>
    </message>
    <message>
        <source>The model is asked only after so many patches whether it has said everything; two more come out.</source>
        <translation>生成这么多块之后才询问模型是否已说完；此后至少还有两块。</translation>
    </message>
    <message>
        <source>A take of so many patches for each token of its text is cut there, and may be made anew.</source>
        <translation>按文本词元计，每个词元达到这么多块时，版本在该处被截断，并可重新生成。</translation>
    </message>
    <message>
        <source> patches a token</source>
        <translation> 块/词元</translation>
    </message>
    <message>
        <source> patches</source>
        <translation> 块</translation>
    </message>
    <message>
        <source>Write numbers, dates and units out as words</source>
        <translation>把数字、日期和单位写成文字</translation>
    </message>
    <message>
        <source>Normalise the text</source>
        <translation>文本规范化</translation>
    </message>
    <message>
        <source>What comes of it is shown under &quot;What the model gets&quot;.</source>
        <translation>结果显示在“模型收到的内容”中。</translation>
    </message>
    <message>
        <source>Draft: at most {steps} steps</source>
        <translation>草稿：最多 {steps} 步</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Takes are made sooner and sound rougher; the one that you choose can then be made in full.</source>
        <translation>版本生成得更快，但声音更粗糙；选中的版本之后可以完整生成。</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Recent settings</source>
        <translation>最近的设置</translation>
    </message>
    <message>
        <source>Settings that takes were made with</source>
        <translation>以前生成版本时用过的设置</translation>
    </message>
    <message>
        <source>Compare paths</source>
        <translation>比较各种方式</translation>
    </message>
    <message>
        <source>Make a take of this text in every way that is filled in: plain, with the description, with the reference, as a continuation; all with the same seed</source>
        <translation>用所有已填写的方式各生成一个版本：朴素朗读、按描述、按参考音频、续读；种子相同</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>Put the default settings back</source>
        <translation>恢复默认设置</translation>
    </message>
    <message>
        <source>{steps} steps · guidance {cfg:g} · at most {patches} patches</source>
        <translation>{steps} 步 · 引导 {cfg:g} · 最多 {patches} 块</translation>
    </message>
    <message>
        <source>normalised</source>
        <translation>已规范化</translation>
    </message>
    <message>
        <source>Nothing was made yet</source>
        <translation>还没有生成过</translation>
    </message>
</context>
<context>
    <name>CastTable</name>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Cues</source>
        <translation>台词</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>语气</translation>
    </message>
    <message>
        <source>Cast</source>
        <translation>配音表</translation>
    </message>
    <message>
        <source>Who speaks with which voice</source>
        <translation>谁用哪个声音说话</translation>
    </message>
    <message>
        <source>an old man, hoarse</source>
        <translation>一位声音沙哑的老人</translation>
    </message>
    <message>
        <source>whispering</source>
        <translation>低声</translation>
    </message>
    <message>
        <source>(nobody)</source>
        <translation>（无角色）</translation>
    </message>
    <message>
        <source>As described</source>
        <translation>按描述</translation>
    </message>
    <message>
        <source>Voice of {name}</source>
        <translation>{name} 的声音</translation>
    </message>
    <message>
        <source>A saved voice for this character</source>
        <translation>为此角色选用已保存的声音</translation>
    </message>
    <message>
        <source>Description of {name}</source>
        <translation>{name} 的描述</translation>
    </message>
    <message>
        <source>Style of {name}</source>
        <translation>{name} 的语气</translation>
    </message>
</context>
<context>
    <name>ClonePanel</name>
    <message>
        <source>Clone a voice</source>
        <translation>克隆声音</translation>
    </message>
    <message>
        <source>Drop, open or record a reference audio first.</source>
        <translation>请先拖入、打开或录制参考音频。</translation>
    </message>
    <message>
        <source>Reference: the voice to speak with</source>
        <translation>参考音频：用谁的声音说话</translation>
    </message>
    <message>
        <source>Reference audio</source>
        <translation>参考音频</translation>
    </message>
    <message>
        <source>Style (optional)</source>
        <translation>风格（可选）</translation>
    </message>
    <message>
        <source>cheerful, a little faster</source>
        <translation>欢快，语速稍快</translation>
    </message>
    <message>
        <source>Style note</source>
        <translation>风格说明</translation>
    </message>
    <message>
        <source>How to speak this time. The voice stays that of the reference. Leave it empty to speak plainly.</source>
        <translation>这一次怎样说。声音仍取自参考音频。留空则平常地说。</translation>
    </message>
    <message>
        <source>{model} takes no style note.</source>
        <translation>{model} 不支持风格说明。</translation>
    </message>
    <message>
        <source>{model} takes no reference. Use Continue, with a prompt and its transcript.</source>
        <translation>{model} 不支持参考音频。请使用“续写”，提供提示音频及其文字稿。</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>End the comparison (C)</source>
        <translation>结束比较（C）</translation>
    </message>
    <message>
        <source>Hear the takes of this press, or those that are selected, against each other, equally loud (C)</source>
        <translation>以相同响度对比试听同一次生成的版本，或选中的版本（C）</translation>
    </message>
    <message>
        <source>Blind</source>
        <translation>盲听</translation>
    </message>
    <message>
        <source>In an order that is told only after the choice (X)</source>
        <translation>顺序在选择之后才公布（X）</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>用这个</translation>
    </message>
    <message>
        <source>Choose the take that is heard; the choice is kept (U)</source>
        <translation>选定正在听的版本；选择会被保存（U）</translation>
    </message>
    <message>
        <source>Hear {name}</source>
        <translation>听 {name}</translation>
    </message>
    <message>
        <source>Go over to {name} at the same place ({key})</source>
        <translation>在同一位置切换到 {name}（{key}）</translation>
    </message>
</context>
<context>
    <name>CompareControl</name>
    <message>
        <source>{name} was chosen.</source>
        <translation>选择了 {name}。</translation>
    </message>
    <message>
        <source>The order was: {names}</source>
        <translation>顺序是：{names}</translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>The same take came out: {count} samples are equal.</source>
        <translation>得到了相同的版本：{count} 个采样完全一致。</translation>
    </message>
    <message>
        <source>Another take came out, and it was kept. {why}</source>
        <translation>得到了不同的版本，已保留。{why}</translation>
    </message>
    <message>
        <source>Distance: {level:.1f} dB of the take&apos;s power over {count} samples, the largest {largest:.2g} of full scale</source>
        <translation>差距：{count} 个采样中，差值功率为版本功率的 {level:.1f} dB，最大为满幅的 {largest:.2g}</translation>
    </message>
    <message>
        <source>Length: {before} samples then, {now} now</source>
        <translation>长度：当时 {before} 个采样，现在 {now} 个</translation>
    </message>
    <message>
        <source>Nothing that is recorded differs: this computer does not add up in the same order twice.</source>
        <translation>记录的条件都没有变化：这台电脑两次计算的求和顺序不同。</translation>
    </message>
    <message>
        <source>What differs: {names}.</source>
        <translation>不同之处：{names}。</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>{name}: {before} then, {now} now</source>
        <translation>{name}：当时 {before}，现在 {now}</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>kind of model</source>
        <translation>模型类型</translation>
    </message>
    <message>
        <source>content of the model</source>
        <translation>模型内容</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>number of threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>version of the program</source>
        <translation>程序版本</translation>
    </message>
    <message>
        <source>computer</source>
        <translation>电脑</translation>
    </message>
    <message>
        <source>sample rate</source>
        <translation>采样率</translation>
    </message>
    <message>
        <source>text after normalising</source>
        <translation>规范化后的文本</translation>
    </message>
    <message>
        <source>adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>content of the voice</source>
        <translation>声音内容</translation>
    </message>
    <message>
        <source>end</source>
        <translation>结束方式</translation>
    </message>
    <message>
        <source>what was computed along</source>
        <translation>同批计算的内容</translation>
    </message>
</context>
<context>
    <name>ComposePanel</name>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>What is to be said</source>
        <translation>要说的内容</translation>
    </message>
    <message>
        <source>The words that the voice will say.</source>
        <translation>声音将要说的话。</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Show the advanced settings</source>
        <translation>显示高级设置</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Number of takes</source>
        <translation>版本数量</translation>
    </message>
    <message>
        <source>Up to three takes are made together, with seeds far apart.</source>
        <translation>最多同时生成三个版本，种子相距很远。</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Make the takes (Ctrl+Enter)</source>
        <translation>生成版本（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop and keep what was made (Esc)</source>
        <translation>停止并保留已生成的部分（Esc）</translation>
    </message>
</context>
<context>
    <name>Consent</name>
    <message>
        <source>This is the own voice of {name}.</source>
        <translation>这是{name}本人的声音。</translation>
    </message>
    <message>
        <source>This is the voice of {name}.</source>
        <translation>这是{name}的声音。</translation>
    </message>
    <message>
        <source>This is the voice of {name}, used under a licence.</source>
        <translation>这是{name}的声音，依据许可使用。</translation>
    </message>
    <message>
        <source>This is the voice of {name}, from a recording in the public domain.</source>
        <translation>这是{name}的声音，来自公有领域的录音。</translation>
    </message>
    <message>
        <source>No person is behind this voice; it was designed.</source>
        <translation>这个声音背后没有真人，是设计出来的。</translation>
    </message>
    <message>
        <source>They can be reached at {contact}.</source>
        <translation>联系方式：{contact}。</translation>
    </message>
    <message>
        <source>{name} ({authority}) speaks for them.</source>
        <translation>由{name}（{authority}）代表。</translation>
    </message>
    <message>
        <source>It was described as “{description}” and made by {model} with seed {seed}.</source>
        <translation>描述为“{description}”，由 {model} 用种子 {seed} 生成。</translation>
    </message>
    <message>
        <source>It may be used by {operator}.</source>
        <translation>使用者：{operator}。</translation>
    </message>
    <message>
        <source>The right rests on: {basis}.</source>
        <translation>权利依据：{basis}。</translation>
    </message>
    <message>
        <source>It allows to {purposes}.</source>
        <translation>允许的用途：{purposes}。</translation>
    </message>
    <message>
        <source>Commercial use is allowed.</source>
        <translation>允许商业使用。</translation>
    </message>
    <message>
        <source>Commercial use is not allowed.</source>
        <translation>不允许商业使用。</translation>
    </message>
    <message>
        <source>Training a model is allowed.</source>
        <translation>允许训练模型。</translation>
    </message>
    <message>
        <source>Training a model is not allowed.</source>
        <translation>不允许训练模型。</translation>
    </message>
    <message>
        <source>Sharing the voice is allowed.</source>
        <translation>允许分享这个声音。</translation>
    </message>
    <message>
        <source>Sharing the voice is not allowed.</source>
        <translation>不允许分享这个声音。</translation>
    </message>
    <message>
        <source>Sensitive text is allowed.</source>
        <translation>允许朗读敏感内容。</translation>
    </message>
    <message>
        <source>Sensitive text is not allowed.</source>
        <translation>不允许朗读敏感内容。</translation>
    </message>
    <message>
        <source>Languages: {values}.</source>
        <translation>语言：{values}。</translation>
    </message>
    <message>
        <source>Countries: {values}.</source>
        <translation>国家和地区：{values}。</translation>
    </message>
    <message>
        <source>It was given on {date}.</source>
        <translation>授权日期：{date}。</translation>
    </message>
    <message>
        <source>It has no end, but can be withdrawn.</source>
        <translation>没有期限，但可以撤回。</translation>
    </message>
    <message>
        <source>It ends on {date}.</source>
        <translation>有效期至 {date}。</translation>
    </message>
    <message>
        <source>It was withdrawn on {date}; the voice is frozen.</source>
        <translation>已于 {date} 撤回；声音已冻结。</translation>
    </message>
    <message>
        <source>Level L0: somebody confirmed it; there is no evidence.</source>
        <translation>级别 L0：有人确认，没有证据。</translation>
    </message>
    <message>
        <source>Level L1: a document or recording is kept as evidence.</source>
        <translation>级别 L1：保存了文件或录音作为证据。</translation>
    </message>
    <message>
        <source>Level L2: the statement was spoken and recognised; whose voice spoke it is not shown.</source>
        <translation>L2 级：声明已朗读并被识别；未证明是谁的声音。</translation>
    </message>
    <message>
        <source>Level L3: the statement was spoken live, and the voice matches the recordings.</source>
        <translation>L3 级：声明为现场朗读，且声音与录音相符。</translation>
    </message>
    <message>
        <source>{words} of 4 words were heard; {percent} % of the characters differ.</source>
        <translation>4 个口令听到了 {words} 个；{percent} % 的字符不同。</translation>
    </message>
    <message>
        <source>The voices match by {score} ({threshold} is needed).</source>
        <translation>声音相似度 {score}（需要 {threshold}）。</translation>
    </message>
    <message>
        <source>Statement: “{text}”</source>
        <translation>声明：“{text}”</translation>
    </message>
    <message>
        <source>It covers {count} recordings of {seconds} s.</source>
        <translation>包括 {count} 段录音，共 {seconds} 秒。</translation>
    </message>
    <message>
        <source>Kept: the trimmed recordings {reference}, the raw recordings {raw}.</source>
        <translation>保存期限：剪好的录音 {reference}，原始录音 {raw}。</translation>
    </message>
    <message>
        <source>Note: “{note}”</source>
        <translation>备注：“{note}”</translation>
    </message>
    <message>
        <source>The record shows that nothing was changed since. It does not prove who the speaker is.</source>
        <translation>记录能证明此后没有改动，不能证明说话的人是谁。</translation>
    </message>
    <message>
        <source>A document as proof gives L1.</source>
        <translation>附上证明文件可达到 L1 级。</translation>
    </message>
    <message>
        <source>A spoken statement that is recognised gives L2.</source>
        <translation>朗读声明并被识别可达到 L2 级。</translation>
    </message>
    <message>
        <source>Spoken live with this studio&apos;s microphone within {hours} hours, by a voice that matches the recordings, it gives L3.</source>
        <translation>在 {hours} 小时内用本软件的麦克风现场朗读，且声音与录音相符，可达到 L3 级。</translation>
    </message>
    <message>
        <source>Level L2 is unavailable: no speech recogniser is installed. Install it with pip install &apos;voxcpm-studio[evaluate]&apos; and choose the folder of a Whisper model in the settings.</source>
        <translation>无法达到 L2 级：未安装语音识别。请用 pip install &apos;voxcpm-studio[evaluate]&apos; 安装，并在设置中选择 Whisper 模型文件夹。</translation>
    </message>
    <message>
        <source>Level L2 is unavailable: there is no model for this language. Choose the folder of a multilingual Whisper model (CTranslate2) in the settings.</source>
        <translation>无法达到 L2 级：没有该语言的模型。请在设置中选择多语言 Whisper 模型（CTranslate2）的文件夹。</translation>
    </message>
    <message>
        <source>Level L2 is unavailable: the chosen Whisper model does not serve for this language.</source>
        <translation>无法达到 L2 级：所选的 Whisper 模型不适用于该语言。</translation>
    </message>
    <message>
        <source>Level L3 is unavailable: nothing that compares voices is installed. Install it with pip install --no-deps Resemblyzer.</source>
        <translation>无法达到 L3 级：未安装声音比对。请用 pip install --no-deps Resemblyzer 安装。</translation>
    </message>
    <message>
        <source>Level L3 is unavailable: what compares voices cannot be loaded. Install it anew.</source>
        <translation>无法达到 L3 级：声音比对无法加载，请重新安装。</translation>
    </message>
    <message>
        <source>The statement was not heard: {words} of 4 words, and {percent} % of the characters differ. Speak it once more, slowly and near the microphone.</source>
        <translation>没有听到声明：4 个词中听到 {words} 个，{percent} % 的字符不同。请靠近麦克风，慢慢再读一遍。</translation>
    </message>
    <message>
        <source>This is not the voice of the recordings: they match by {score}, {least} is the least. The person who is heard in them must speak the statement.</source>
        <translation>这不是录音中的声音：相似度为 {score}，至少需要 {least}。声明必须由录音中的本人朗读。</translation>
    </message>
    <message>
        <source>The person withdrew the consent on {date}.</source>
        <translation>本人已于 {date} 撤回同意。</translation>
    </message>
    <message>
        <source>The consent expired on {date}. Ask the person for a new one.</source>
        <translation>同意已于 {date} 到期。请向本人重新征得同意。</translation>
    </message>
    <message>
        <source>The consent holds from {date} on. Check this machine&apos;s clock.</source>
        <translation>同意从 {date} 起有效。请检查本机的时钟。</translation>
    </message>
    <message>
        <source>This voice is frozen, since there is a complaint about it.</source>
        <translation>这个声音已冻结，因为收到了投诉。</translation>
    </message>
    <message>
        <source>This voice was imported without a valid consent record: it can be looked at and deleted, not used.</source>
        <translation>这个声音导入时没有有效的同意记录：只能查看和删除，不能使用。</translation>
    </message>
    <message>
        <source>The consent does not allow this use ({what}). Ask the person to extend it.</source>
        <translation>同意不包括这种用途（{what}）。请本人扩大范围。</translation>
    </message>
    <message>
        <source>The recording is not one that the consent names. Add it to the consent, or use the original.</source>
        <translation>这段录音不在同意的范围内。请加入同意，或使用原来的录音。</translation>
    </message>
    <message>
        <source>Version {version} was changed after it was recorded.</source>
        <translation>第 {version} 版在记录之后被改动过。</translation>
    </message>
    <message>
        <source>Version {version} does not follow the one before it.</source>
        <translation>第 {version} 版与前一版不衔接。</translation>
    </message>
    <message>
        <source>The newest version of the record is missing or was replaced.</source>
        <translation>记录的最新版本缺失或被替换。</translation>
    </message>
    <message>
        <source>The signature of version {version} is not genuine.</source>
        <translation>第 {version} 版的签名不是真的。</translation>
    </message>
    <message>
        <source>Version {version} was signed by a studio that is not known here.</source>
        <translation>第 {version} 版由本机不认识的工作室签名。</translation>
    </message>
    <message>
        <source>L0 · attested: somebody&apos;s word, no evidence</source>
        <translation>L0 · 口头确认：只有某人的说法，没有证据</translation>
    </message>
    <message>
        <source>L1 · document or recording kept as evidence</source>
        <translation>L1 · 存有文件或录音作为证据</translation>
    </message>
    <message>
        <source>L2 · statement spoken and recognised</source>
        <translation>L2 · 声明已朗读并被识别</translation>
    </message>
    <message>
        <source>L3 · spoken live, recognised, and the voice matches</source>
        <translation>L3 · 现场朗读、已识别，且声音相符</translation>
    </message>
    <message>
        <source>self</source>
        <translation>本人</translation>
    </message>
    <message>
        <source>explicit consent</source>
        <translation>明示同意</translation>
    </message>
    <message>
        <source>contract</source>
        <translation>合同</translation>
    </message>
    <message>
        <source>estate or guardian</source>
        <translation>遗产管理人或监护人</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>公有领域</translation>
    </message>
    <message>
        <source>none synthetic</source>
        <translation>无（合成声音）</translation>
    </message>
    <message>
        <source>generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>parent</source>
        <translation>父母</translation>
    </message>
    <message>
        <source>guardian</source>
        <translation>监护人</translation>
    </message>
    <message>
        <source>estate</source>
        <translation>遗产管理人</translation>
    </message>
    <message>
        <source>agent</source>
        <translation>代理人</translation>
    </message>
    <message>
        <source>this session</source>
        <translation>本次使用期间</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>7 days</source>
        <translation>7 天</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 天</translation>
    </message>
    <message>
        <source>as long as it</source>
        <translation>与同意同期</translation>
    </message>
    <message>
        <source> and </source>
        <translation>和</translation>
    </message>
    <message>
        <source>L0: no evidence</source>
        <translation>L0：没有凭证</translation>
    </message>
</context>
<context>
    <name>ConsentAnswerDialog</name>
    <message>
        <source>Record the statement first, or choose a recording of it.</source>
        <translation>请先录下声明，或选择一段录音。</translation>
    </message>
    <message>
        <source>Say whose voice it is.</source>
        <translation>请说明这是谁的声音。</translation>
    </message>
    <message>
        <source>Say how you can be reached.</source>
        <translation>请说明怎样联系您。</translation>
    </message>
    <message>
        <source>Say who speaks for the person.</source>
        <translation>请说明由谁代表本人。</translation>
    </message>
    <message>
        <source>Add a recording of the voice.</source>
        <translation>请添加一段声音录音。</translation>
    </message>
    <message>
        <source>Answer a request for consent</source>
        <translation>答复同意请求</translation>
    </message>
    <message>
        <source>{name} asks to use the voice, for {count} months.</source>
        <translation>{name} 请求使用这个声音，为期 {count} 个月。</translation>
    </message>
    <message>
        <source>They write: “{note}”</source>
        <translation>对方写道：“{note}”</translation>
    </message>
    <message>
        <source>Speak the statement only if you agree. Nobody else can do it for you.</source>
        <translation>只有在您同意时才朗读声明。别人不能代替您。</translation>
    </message>
    <message>
        <source>Whose voice it is</source>
        <translation>这是谁的声音</translation>
    </message>
    <message>
        <source>How you can be reached</source>
        <translation>怎样联系您</translation>
    </message>
    <message>
        <source>Who speaks for the person</source>
        <translation>谁代表本人</translation>
    </message>
    <message>
        <source>Recordings of the voice</source>
        <translation>声音录音</translation>
    </message>
    <message>
        <source>The person is under age</source>
        <translation>本人未成年</translation>
    </message>
    <message>
        <source>a parent</source>
        <translation>父母</translation>
    </message>
    <message>
        <source>a guardian</source>
        <translation>监护人</translation>
    </message>
    <message>
        <source>the estate</source>
        <translation>遗产代理人</translation>
    </message>
    <message>
        <source>an agent</source>
        <translation>代理人</translation>
    </message>
    <message>
        <source>In what role</source>
        <translation>以什么身份</translation>
    </message>
    <message>
        <source>Add recordings…</source>
        <translation>添加录音…</translation>
    </message>
    <message>
        <source>Add recordings of the voice, three at most</source>
        <translation>添加声音录音，最多三段</translation>
    </message>
    <message>
        <source>Save the answer…</source>
        <translation>保存答复…</translation>
    </message>
    <message>
        <source>Save the answer to a file that you send back</source>
        <translation>把答复保存为文件后发回</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Answer nothing</source>
        <translation>不答复</translation>
    </message>
    <message>
        <source>Add recordings of the voice</source>
        <translation>添加声音录音</translation>
    </message>
    <message>
        <source>Sound (*.wav *.flac *.ogg *.opus *.mp3)</source>
        <translation>声音 (*.wav *.flac *.ogg *.opus *.mp3)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ConsentBox</name>
    <message>
        <source>Say whose voice this is.</source>
        <translation>请说明这是谁的声音。</translation>
    </message>
    <message>
        <source>Say who agreed to the use of this voice.</source>
        <translation>请写明是谁同意使用这个声音。</translation>
    </message>
    <message>
        <source>Say how this person can be reached.</source>
        <translation>请写明如何联系此人。</translation>
    </message>
    <message>
        <source>Confirm that this voice may be used.</source>
        <translation>请确认可以使用这个声音。</translation>
    </message>
    <message>
        <source>Whose voice is this?</source>
        <translation>这是谁的声音？</translation>
    </message>
    <message>
        <source>My own</source>
        <translation>我自己的</translation>
    </message>
    <message>
        <source>This is my own voice</source>
        <translation>这是我自己的声音</translation>
    </message>
    <message>
        <source>Someone who agreed:</source>
        <translation>已同意的人：</translation>
    </message>
    <message>
        <source>This is the voice of someone who agreed</source>
        <translation>这是一位已同意的人的声音</translation>
    </message>
    <message>
        <source>name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>Who agreed</source>
        <translation>同意者</translation>
    </message>
    <message>
        <source>The name of the person who agreed to the use of this voice.</source>
        <translation>同意使用这个声音的人的姓名。</translation>
    </message>
    <message>
        <source>how to reach them</source>
        <translation>联系方式</translation>
    </message>
    <message>
        <source>How this person can be reached</source>
        <translation>如何联系此人</translation>
    </message>
    <message>
        <source>An address, a number, or who knows them.</source>
        <translation>地址、号码，或认识此人的人。</translation>
    </message>
    <message>
        <source>This person agreed that I make new speech with this voice.</source>
        <translation>此人同意我用这个声音生成新的语音。</translation>
    </message>
    <message>
        <source>I speak here myself, and I want new speech made with my voice.</source>
        <translation>这是我本人在说话，我同意用我的声音生成新的语音。</translation>
    </message>
    <message>
        <source>Confirm the consent</source>
        <translation>确认同意</translation>
    </message>
    <message>
        <source>Without this, nothing is made with this voice.</source>
        <translation>未确认之前，不会用这个声音生成任何内容。</translation>
    </message>
    <message>
        <source>A record of this is made. It is your word: the studio cannot check who is heard.</source>
        <translation>会为此建立记录。这是您的陈述：工作室无法核实听到的是谁。</translation>
    </message>
</context>
<context>
    <name>ConsentControl</name>
    <message>
        <source>Take in an answer</source>
        <translation>导入答复</translation>
    </message>
    <message>
        <source>What the voice is called:</source>
        <translation>这个声音的名称：</translation>
    </message>
    <message>
        <source>The answer was not taken in.</source>
        <translation>答复未被导入。</translation>
    </message>
    <message>
        <source>The consent has a new version, of level {level}. Let the statement be spoken to raise it.</source>
        <translation>同意书有了新版本，级别为 {level}。朗读声明可提高级别。</translation>
    </message>
    <message>
        <source>Saved: {path}. Send it to the person; their answer comes back as a file.</source>
        <translation>已保存：{path}。请发给本人；对方的答复会以文件形式发回。</translation>
    </message>
    <message>
        <source>Saved: {path}. Send it back to whoever asked.</source>
        <translation>已保存：{path}。请发回给请求人。</translation>
    </message>
    <message>
        <source>Save the answer</source>
        <translation>保存答复</translation>
    </message>
    <message>
        <source>That could not be done with this consent.</source>
        <translation>无法对这份同意书这样做。</translation>
    </message>
    <message>
        <source>Save the request</source>
        <translation>保存请求</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose the request that was sent to you</source>
        <translation>选择发给您的请求</translation>
    </message>
    <message>
        <source>Requests (*.json)</source>
        <translation>请求 (*.json)</translation>
    </message>
    <message>
        <source>Choose the answer that came back</source>
        <translation>选择发回的答复</translation>
    </message>
    <message>
        <source>Answers (*.zip)</source>
        <translation>答复 (*.zip)</translation>
    </message>
</context>
<context>
    <name>ConsentRequestDialog</name>
    <message>
        <source>Ask for consent from far away</source>
        <translation>远程请求同意</translation>
    </message>
    <message>
        <source>This makes a small file to send to the person. They open it in their studio, speak the statement, and send a file back within 30 days.</source>
        <translation>这会生成一个小文件发给本人。对方在自己的软件中打开，朗读声明，并在 30 天内发回一个文件。</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Who will use the voice</source>
        <translation>谁将使用这个声音</translation>
    </message>
    <message>
        <source>What for, in a few words</source>
        <translation>用途（几个字）</translation>
    </message>
    <message>
        <source>A word to the person</source>
        <translation>给本人的留言</translation>
    </message>
    <message>
        <source>Language of the statement</source>
        <translation>声明的语言</translation>
    </message>
    <message>
        <source>Holds for (months)</source>
        <translation>有效期（月）</translation>
    </message>
    <message>
        <source>Recordings wanted besides</source>
        <translation>另需的录音数</translation>
    </message>
    <message>
        <source>Spoken by</source>
        <translation>由谁朗读</translation>
    </message>
    <message>
        <source>It allows</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>somebody who speaks for the person</source>
        <translation>代表本人的人</translation>
    </message>
    <message>
        <source>Save the request…</source>
        <translation>保存请求…</translation>
    </message>
    <message>
        <source>Save the request to a file</source>
        <translation>把请求保存为文件</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ask nobody</source>
        <translation>不请求</translation>
    </message>
    <message>
        <source>Say who will use the voice.</source>
        <translation>请说明谁将使用这个声音。</translation>
    </message>
</context>
<context>
    <name>ContinuePanel</name>
    <message>
        <source>Continue a recording</source>
        <translation>续写录音</translation>
    </message>
    <message>
        <source>Prompt: the recording to go on from</source>
        <translation>提示音频：从这段录音接着说</translation>
    </message>
    <message>
        <source>Prompt audio</source>
        <translation>提示音频</translation>
    </message>
    <message>
        <source>Drop, open or record a prompt audio first.</source>
        <translation>请先拖入、打开或录制提示音频。</translation>
    </message>
    <message>
        <source>Use the same audio as reference too (closer voice, more to compute)</source>
        <translation>同时用作参考音频（音色更接近，计算更多）</translation>
    </message>
    <message>
        <source>Gives the model the timbre as well as the words to go on from.</source>
        <translation>除了要接着说的话，还把音色交给模型。</translation>
    </message>
    <message>
        <source>{model} takes no reference.</source>
        <translation>{model} 不支持参考音频。</translation>
    </message>
    <message>
        <source>Use the prompt as reference too</source>
        <translation>提示音频同时用作参考音频</translation>
    </message>
</context>
<context>
    <name>CopyControl</name>
    <message>
        <source>This take was made with a recording that is not saved as a voice. Open the recording again.</source>
        <translation>这个版本用的是一段没有存为声音的录音。请重新打开那段录音。</translation>
    </message>
    <message>
        <source>Its recording is not there any more.</source>
        <translation>它的录音已经不在了。</translation>
    </message>
    <message>
        <source>The voice {name}, which this take was made with, cannot be used:</source>
        <translation>生成这个版本所用的声音“{name}”不能使用：</translation>
    </message>
    <message>
        <source>The voice that this take was made with is not in the library any more. Choose another one.</source>
        <translation>生成这个版本所用的声音已不在声音库中。请另选一个。</translation>
    </message>
</context>
<context>
    <name>CueCard</name>
    <message>
        <source>As the character</source>
        <translation>同角色</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Hear this cue as it will be (Space)</source>
        <translation>按成品效果试听这条台词（空格）</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Make another take of this cue, the others stay (R)</source>
        <translation>为这条台词再生成一个版本，原有版本保留（R）</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>拆分</translation>
    </message>
    <message>
        <source>Split at the text cursor, else at the middle (S)</source>
        <translation>在光标处拆分，否则在中间拆分（S）</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Join the next cue to this one (M)</source>
        <translation>把下一条台词并入这一条（M）</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Take the chosen cues out (Del)</source>
        <translation>移除所选台词（Del）</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>语气</translation>
    </message>
    <message>
        <source>From, to</source>
        <translation>起止</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>What is said. [pause 0.5s] makes a pause.</source>
        <translation>要说的话。[pause 0.5s] 表示停顿。</translation>
    </message>
    <message>
        <source>Text of the cue</source>
        <translation>台词文本</translation>
    </message>
    <message>
        <source>Character of the cue</source>
        <translation>台词的角色</translation>
    </message>
    <message>
        <source>Who speaks; type a new name to add one</source>
        <translation>谁在说话；输入新名字即可添加</translation>
    </message>
    <message>
        <source>Voice of this cue alone</source>
        <translation>仅此台词的声音</translation>
    </message>
    <message>
        <source>A saved voice for this cue alone</source>
        <translation>仅为此台词选用已保存的声音</translation>
    </message>
    <message>
        <source>whispering, in a hurry</source>
        <translation>低声，匆忙</translation>
    </message>
    <message>
        <source>Style of this cue</source>
        <translation>此台词的语气</translation>
    </message>
    <message>
        <source>How this cue is said, where the model heeds it</source>
        <translation>这条台词怎么说（模型支持时有效）</translation>
    </message>
    <message>
        <source>Start of the cue</source>
        <translation>台词开始时间</translation>
    </message>
    <message>
        <source>Minutes and seconds, as in 1:02.500</source>
        <translation>分和秒，例如 1:02.500</translation>
    </message>
    <message>
        <source>End of the cue</source>
        <translation>台词结束时间</translation>
    </message>
    <message>
        <source>Takes of the cue</source>
        <translation>台词的版本</translation>
    </message>
    <message>
        <source>The chosen one is heard; keys 1 to 3 choose</source>
        <translation>选中的版本会被听到；用 1 到 3 键选择</translation>
    </message>
    <message>
        <source>Picture of the film</source>
        <translation>影片画面</translation>
    </message>
    <message>
        <source>Cue {number}</source>
        <translation>台词 {number}</translation>
    </message>
    <message>
        <source>No cue is chosen.</source>
        <translation>未选择台词。</translation>
    </message>
</context>
<context>
    <name>CueTableModel</name>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>CueTimeline</name>
    <message>
        <source>Timeline of the cues</source>
        <translation>台词时间轴</translation>
    </message>
    <message>
        <source>Click to go there, drag cues and their edges, turn the wheel to zoom. Alt: without snapping.</source>
        <translation>点击跳转，拖动台词及其边缘，滚轮缩放。按住 Alt 不吸附。</translation>
    </message>
    <message>
        <source>No original sound</source>
        <translation>没有原声</translation>
    </message>
</context>
<context>
    <name>Cues</name>
    <message>
        <source>nothing to say</source>
        <translation>无可说</translation>
    </message>
    <message>
        <source>no take</source>
        <translation>无版本</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>too long by {count}</source>
        <translation>超出 {count} 字</translation>
    </message>
    <message>
        <source>overlaps</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>{speed:.2f} ×</source>
        <translation>{speed:.2f} ×</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>已后移</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>合适</translation>
    </message>
    <message>
        <source>There is no letter or digit in it, so nothing is spoken.</source>
        <translation>其中没有文字或数字，因此不会发声。</translation>
    </message>
    <message>
        <source>It has no take yet: press Make, or R for this cue alone.</source>
        <translation>还没有版本：按“生成”，或按 R 只生成这一条。</translation>
    </message>
    <message>
        <source>Its take says something else than the cue does now: make it again.</source>
        <translation>版本与台词现在的内容不符：请重新生成。</translation>
    </message>
    <message>
        <source>Too long by {count} characters, even at {speed:.2f} ×: shorten the text, or give it more time.</source>
        <translation>即使以 {speed:.2f} × 播放仍超出 {count} 个字：请缩短文本，或给它更多时间。</translation>
    </message>
    <message>
        <source>Made {speed:.2f} × as fast to fit; {count} characters less would fit as spoken.</source>
        <translation>为合适已加快到 {speed:.2f} ×；少 {count} 个字即可按原速容纳。</translation>
    </message>
    <message>
        <source>Made slower to fill its time: {speed:.2f} ×.</source>
        <translation>为填满时间已放慢：{speed:.2f} ×。</translation>
    </message>
    <message>
        <source>It goes on into the gap before the next cue.</source>
        <translation>它延续到下一条台词前的空隙中。</translation>
    </message>
    <message>
        <source>Moved {seconds:.2f} s later.</source>
        <translation>后移了 {seconds:.2f} 秒。</translation>
    </message>
    <message>
        <source>It overlaps the next cue by {seconds:.2f} s.</source>
        <translation>与下一条台词重叠 {seconds:.2f} 秒。</translation>
    </message>
    <message>
        <source>Said as: {words}</source>
        <translation>读作：{words}</translation>
    </message>
    <message>
        <source>Take {number}</source>
        <translation>版本 {number}</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} 秒</translation>
    </message>
    <message>
        <source>{seconds:.1f} s too long</source>
        <translation>长出 {seconds:.1f} 秒</translation>
    </message>
</context>
<context>
    <name>DataControl</name>
    <message>
        <source>Stored files that are missing: {count}. See File, Saved data and backups.</source>
        <translation>缺少的存储文件：{count} 个。请查看“文件”中的“已保存的数据与备份”。</translation>
    </message>
    <message>
        <source>Backup {number} was put in place.</source>
        <translation>已恢复备份 {number}。</translation>
    </message>
    <message>
        <source>The backup is made.</source>
        <translation>备份已完成。</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Go back to the backup of {day}?</source>
        <translation>恢复到 {day} 的备份？</translation>
    </message>
    <message>
        <source>Takes, voices, ratings and notes that were saved after it will not be there any more, nor will the entries of the audit log. What is there now is kept in the data folder for 30 days. Voices that were deleted stay deleted. The studio closes and starts again.</source>
        <translation>此后保存的条目、声音、评分和备注将不再存在，审计日志中的记录也是如此。现有数据会在数据文件夹中保留 30 天。已删除的声音仍保持删除。工作室会关闭并重新启动。</translation>
    </message>
    <message>
        <source>The backup is in place.</source>
        <translation>备份已恢复。</translation>
    </message>
    <message>
        <source>This could not be done.</source>
        <translation>无法完成此操作。</translation>
    </message>
</context>
<context>
    <name>DataDialog</name>
    <message>
        <source>Saved data and backups</source>
        <translation>已保存的数据与备份</translation>
    </message>
    <message>
        <source>Voices and takes are kept in {folder}</source>
        <translation>声音和条目保存在 {folder}</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Made on</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Backups, the newest first</source>
        <translation>备份，最新的在前</translation>
    </message>
    <message>
        <source>One is made every day; the newest of 7 days, 4 weeks and 12 months stay. They lie on the same disk: copy the whole folder elsewhere in case it fails. What was deleted for good is in none of them.</source>
        <translation>每天自动备份一次；最近 7 天、4 周和 12 个月各保留最新一份。它们在同一块磁盘上：请把整个文件夹另外复制一份，以防磁盘损坏。永久删除的内容不在任何备份中。</translation>
    </message>
    <message>
        <source>Make a backup now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Copy the database as it is now</source>
        <translation>复制当前的数据库</translation>
    </message>
    <message>
        <source>Check everything</source>
        <translation>全面检查</translation>
    </message>
    <message>
        <source>Look whether database, sound files and log are whole</source>
        <translation>检查数据库、声音文件和日志是否完好</translation>
    </message>
    <message>
        <source>Go back to this backup…</source>
        <translation>恢复到此备份…</translation>
    </message>
    <message>
        <source>Put the chosen backup in place of the data</source>
        <translation>用所选备份替换现有数据</translation>
    </message>
    <message>
        <source>Do not go back</source>
        <translation>不恢复</translation>
    </message>
    <message>
        <source>Leave the data as it is at the next start</source>
        <translation>下次启动时保持数据不变</translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Open the folder in the file manager</source>
        <translation>在文件管理器中打开该文件夹</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>The saved data cannot be opened: {reason}</source>
        <translation>无法打开已保存的数据：{reason}</translation>
    </message>
    <message>
        <source>Backup {number} will be put in place when the studio starts again.</source>
        <translation>工作室下次启动时将恢复备份 {number}。</translation>
    </message>
    <message>
        <source>The database was checked when it was opened: it is whole.</source>
        <translation>打开时已检查数据库：完好。</translation>
    </message>
    <message>
        <source>Backup {number} was put in place. What was there before is kept in the folder for 30 days.</source>
        <translation>已恢复备份 {number}。之前的数据会在文件夹中保留 30 天。</translation>
    </message>
    <message>
        <source>Everything is whole: the database, the stored files and the audit log.</source>
        <translation>一切完好：数据库、存储的文件和审计日志。</translation>
    </message>
    <message>
        <source>The database is damaged: go back to a backup.</source>
        <translation>数据库已损坏：请恢复到某个备份。</translation>
    </message>
    <message>
        <source>{count} stored files are missing: put them back from a copy of the folder.</source>
        <translation>缺少 {count} 个存储的文件：请从文件夹的副本中放回。</translation>
    </message>
    <message>
        <source>The audit log was changed; “voxcpm audit check” says where.</source>
        <translation>审计日志被改动过；“voxcpm audit check” 会指出位置。</translation>
    </message>
</context>
<context>
    <name>DesignPanel</name>
    <message>
        <source>Design a voice</source>
        <translation>设计声音</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>a woman in her forties, warm, slow</source>
        <translation>四十多岁的女性，温暖，语速慢</translation>
    </message>
    <message>
        <source>How the voice should sound. Leave it empty for plain speech.</source>
        <translation>声音应当是什么样的。留空则为普通语音。</translation>
    </message>
    <message>
        <source>{model} takes no description: it speaks plainly.</source>
        <translation>{model} 不支持描述，只会用普通语音说话。</translation>
    </message>
</context>
<context>
    <name>DialogControl</name>
    <message>
        <source>NVIDIA graphics card {number}</source>
        <translation>NVIDIA 显卡 {number}</translation>
    </message>
    <message>
        <source>{name} is here. Load it from the button at the top right or under File, Models.</source>
        <translation>{name} 已下载完成。可通过右上角的按钮或“文件 › 模型与下载”载入。</translation>
    </message>
    <message>
        <source>Choose the folder of a LoRA</source>
        <translation>选择 LoRA 所在的文件夹</translation>
    </message>
</context>
<context>
    <name>Doctor</name>
    <message>
        <source>There is no sound in it. Record it again or choose another file.</source>
        <translation>其中没有声音。请重新录制或选择其他文件。</translation>
    </message>
    <message>
        <source>{seconds:.2f} s is too short: at least {least:g} s are needed, 3 to 30 s work well.</source>
        <translation>{seconds:.2f} 秒太短：至少需要 {least:g} 秒，3 到 30 秒效果较好。</translation>
    </message>
    <message>
        <source>The file is damaged: {percent:.0f} % of it is no sound. Export it again or record it anew.</source>
        <translation>文件已损坏：其中 {percent:.0f} % 不是声音数据。请重新导出或重新录制。</translation>
    </message>
    <message>
        <source>It is silent. Check the microphone, or choose a part with speech.</source>
        <translation>没有声音。请检查麦克风，或选择有人说话的部分。</translation>
    </message>
    <message>
        <source>Broken samples, heard as clicks: {count:.0f}.</source>
        <translation>损坏的采样（听起来像爆音）：{count:.0f} 处。</translation>
    </message>
    <message>
        <source>It is shifted by {percent:.0f} % of full scale (a constant offset).</source>
        <translation>信号偏移了满幅的 {percent:.0f} %（直流偏移）。</translation>
    </message>
    <message>
        <source>It is {peak:.1f} times louder than full scale.</source>
        <translation>音量是满幅的 {peak:.1f} 倍。</translation>
    </message>
    <message>
        <source>The voice is very quiet ({level:.0f} dB): noise comes along with it.</source>
        <translation>人声很小（{level:.0f} dB）：噪声会随之放大。</translation>
    </message>
    <message>
        <source>It is overdriven (clipped) and sounds harsh. Nothing mends that: record it again, less loud.</source>
        <translation>录音过载（削波），听起来刺耳。这无法修复：请降低音量重新录制。</translation>
    </message>
    <message>
        <source>There is noise only {distance:.0f} dB below the voice. Record where it is quieter; the studio takes no noise away.</source>
        <translation>噪声只比人声低 {distance:.0f} dB。请在更安静的地方录制；本软件不做降噪。</translation>
    </message>
    <message>
        <source>It is {seconds:.0f} s long; at most {most:.0f} s are used.</source>
        <translation>录音长 {seconds:.0f} 秒；最多使用 {most:.0f} 秒。</translation>
    </message>
    <message>
        <source>Only {seconds:.1f} s of speech: {good:g} s or more carry a voice better.</source>
        <translation>只有 {seconds:.1f} 秒人声：{good:g} 秒以上更能体现音色。</translation>
    </message>
    <message>
        <source>Silence at the ends: {before:.1f} s before, {behind:.1f} s behind.</source>
        <translation>两端有静音：前 {before:.1f} 秒，后 {behind:.1f} 秒。</translation>
    </message>
    <message>
        <source>It begins in the middle of a sound.</source>
        <translation>开头从声音中间开始。</translation>
    </message>
    <message>
        <source>The voice is cut off at the end: that tends to leak into what is made.</source>
        <translation>人声在结尾被截断：这容易泄漏到生成的语音里。</translation>
    </message>
    <message>
        <source>One channel is {difference:.0f} dB quieter than the other.</source>
        <translation>一个声道比另一个低 {difference:.0f} dB。</translation>
    </message>
    <message>
        <source>The two channels cancel each other out.</source>
        <translation>两个声道互相抵消。</translation>
    </message>
    <message>
        <source>The two channels hold different sound.</source>
        <translation>两个声道的内容不同。</translation>
    </message>
    <message>
        <source>Bridge them</source>
        <translation>修补</translation>
    </message>
    <message>
        <source>Centre it</source>
        <translation>消除偏移</translation>
    </message>
    <message>
        <source>Turn it down</source>
        <translation>调低</translation>
    </message>
    <message>
        <source>Turn it up</source>
        <translation>调高</translation>
    </message>
    <message>
        <source>Use the best part</source>
        <translation>使用最佳部分</translation>
    </message>
    <message>
        <source>Trim the silence</source>
        <translation>剪掉静音</translation>
    </message>
    <message>
        <source>Begin cleanly</source>
        <translation>干净开头</translation>
    </message>
    <message>
        <source>End in silence</source>
        <translation>以静音结尾</translation>
    </message>
    <message>
        <source>Use the louder one</source>
        <translation>使用较响的声道</translation>
    </message>
    <message>
        <source>Use the better one</source>
        <translation>使用较好的声道</translation>
    </message>
    <message>
        <source>Use the whole again</source>
        <translation>重新使用全部</translation>
    </message>
    <message>
        <source>right channel</source>
        <translation>右声道</translation>
    </message>
    <message>
        <source>left channel</source>
        <translation>左声道</translation>
    </message>
    <message>
        <source>clicks bridged</source>
        <translation>已修补爆音</translation>
    </message>
    <message>
        <source>centred</source>
        <translation>已消除偏移</translation>
    </message>
    <message>
        <source>faded in</source>
        <translation>已淡入</translation>
    </message>
    <message>
        <source>faded out into silence</source>
        <translation>已淡出到静音</translation>
    </message>
</context>
<context>
    <name>DropArea</name>
    <message>
        <source>Drop an audio file here</source>
        <translation>把音频文件拖到这里</translation>
    </message>
    <message>
        <source>WAV, FLAC, MP3 or Ogg: 3 to 30 seconds of one clear voice work best.</source>
        <translation>WAV、FLAC、MP3 或 Ogg：3 到 30 秒、清晰的单人声音效果最好。</translation>
    </message>
    <message>
        <source>Record…</source>
        <translation>录音…</translation>
    </message>
    <message>
        <source>Record with the microphone.</source>
        <translation>用麦克风录音。</translation>
    </message>
    <message>
        <source>Record with the microphone</source>
        <translation>用麦克风录音</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open an audio file</source>
        <translation>打开音频文件</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove this audio</source>
        <translation>移除这段音频</translation>
    </message>
    <message>
        <source>Audio (*.wav *.flac *.mp3 *.ogg *.opus *.aif *.aiff *.w64 *.caf)</source>
        <translation>音频 (*.wav *.flac *.mp3 *.ogg *.opus *.aif *.aiff *.w64 *.caf)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>mono</source>
        <translation>单声道</translation>
    </message>
    <message>
        <source>stereo</source>
        <translation>立体声</translation>
    </message>
    <message>
        <source>{count} channels</source>
        <translation>{count} 声道</translation>
    </message>
    <message>
        <source>This file does not exist any more.</source>
        <translation>此文件已不存在。</translation>
    </message>
    <message>
        <source>This file cannot be read as audio. Try WAV, FLAC, MP3 or Ogg.</source>
        <translation>无法将此文件作为音频读取。请使用 WAV、FLAC、MP3 或 Ogg。</translation>
    </message>
    <message>
        <source>There is no sound in this file.</source>
        <translation>此文件中没有声音。</translation>
    </message>
</context>
<context>
    <name>DubControl</name>
    <message>
        <source>Opening…</source>
        <translation>正在打开…</translation>
    </message>
    <message>
        <source>{count} takes of this project are not in the library here. Make makes them again.</source>
        <translation>这个项目的 {count} 个版本不在本机的库中。按“生成”即可重新生成。</translation>
    </message>
    <message>
        <source>It could not be opened.</source>
        <translation>无法打开。</translation>
    </message>
    <message>
        <source>The project could not be saved. What you see is only in memory.</source>
        <translation>项目无法保存，目前的内容只在内存中。</translation>
    </message>
    <message>
        <source>The saved voices cannot be read.</source>
        <translation>无法读取已保存的声音。</translation>
    </message>
    <message>
        <source>The original sound cannot be used.</source>
        <translation>无法使用该原声。</translation>
    </message>
    <message>
        <source>This cannot be played.</source>
        <translation>无法播放。</translation>
    </message>
    <message>
        <source>Reading the sound…</source>
        <translation>正在读取声音…</translation>
    </message>
    <message>
        <source>{name} (no consent now)</source>
        <translation>{name}（当前未获同意）</translation>
    </message>
    <message>
        <source>{name} ({badge})</source>
        <translation>{name}（{badge}）</translation>
    </message>
</context>
<context>
    <name>DubDialogs</name>
    <message>
        <source>Open a dub</source>
        <translation>打开配音</translation>
    </message>
    <message>
        <source>Subtitles, scripts and tables (*.srt *.vtt *.ass *.ssa *.txt *.md *.csv *.tsv)</source>
        <translation>字幕、剧本和表格 (*.srt *.vtt *.ass *.ssa *.txt *.md *.csv *.tsv)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose the original sound</source>
        <translation>选择原声</translation>
    </message>
    <message>
        <source>Sound and film (*.wav *.flac *.mp3 *.ogg *.opus *.m4a *.mp4 *.mkv *.mov *.webm *.avi)</source>
        <translation>音频和影片 (*.wav *.flac *.mp3 *.ogg *.opus *.m4a *.mp4 *.mkv *.mov *.webm *.avi)</translation>
    </message>
</context>
<context>
    <name>DubEdits</name>
    <message>
        <source>This voice may not be used.</source>
        <translation>不允许使用这个声音。</translation>
    </message>
</context>
<context>
    <name>DubExportDialog</name>
    <message>
        <source>End the name of the file in {names}.</source>
        <translation>文件名请以 {names} 结尾。</translation>
    </message>
    <message>
        <source>Say in which folder the file is to be.</source>
        <translation>请指明文件所在的文件夹。</translation>
    </message>
    <message>
        <source>Names of cues are made of {fields}.</source>
        <translation>台词文件名由 {fields} 组成。</translation>
    </message>
    <message>
        <source>Say why a mark is left out.</source>
        <translation>请说明为何省略标识。</translation>
    </message>
    <message>
        <source>{name} is there already. Tick that it may be replaced, or choose another name.</source>
        <translation>{name} 已经存在。请勾选“替换已有文件”，或换一个名字。</translation>
    </message>
    <message>
        <source>Mix and export</source>
        <translation>混音并导出</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose the file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Loudness</source>
        <translation>响度</translation>
    </message>
    <message>
        <source>Sample rate</source>
        <translation>采样率</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Original sound</source>
        <translation>原声</translation>
    </message>
    <message>
        <source>Also</source>
        <translation>另外</translation>
    </message>
    <message>
        <source>Names of cues</source>
        <translation>台词文件名</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>标识</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Write the files</source>
        <translation>写出文件</translation>
    </message>
    <message>
        <source>File of the mix</source>
        <translation>混音文件</translation>
    </message>
    <message>
        <source>WAV, FLAC, MP3 or Opus, by the end of the name</source>
        <translation>WAV、FLAC、MP3 或 Opus，由文件名后缀决定</translation>
    </message>
    <message>
        <source>Of the whole mix; the true peak stays below -1 dB</source>
        <translation>整个混音的响度；真峰值低于 -1 dB</translation>
    </message>
    <message>
        <source>24 bits</source>
        <translation>24 位</translation>
    </message>
    <message>
        <source>16 bits</source>
        <translation>16 位</translation>
    </message>
    <message>
        <source>32 bits float (WAV only)</source>
        <translation>32 位浮点（仅 WAV）</translation>
    </message>
    <message>
        <source>For WAV and FLAC</source>
        <translation>用于 WAV 和 FLAC</translation>
    </message>
    <message>
        <source>For MP3 and Opus</source>
        <translation>用于 MP3 和 Opus</translation>
    </message>
    <message>
        <source>turned down while somebody speaks</source>
        <translation>有人说话时压低</translation>
    </message>
    <message>
        <source>as loud as it is</source>
        <translation>保持原音量</translation>
    </message>
    <message>
        <source>left out: silence</source>
        <translation>不用原声</translation>
    </message>
    <message>
        <source>Turned down by</source>
        <translation>压低量</translation>
    </message>
    <message>
        <source>Two channels</source>
        <translation>双声道</translation>
    </message>
    <message>
        <source>As the original sound has them; voices in the middle</source>
        <translation>与原声一致；人声居中</translation>
    </message>
    <message>
        <source>Stems</source>
        <translation>分轨</translation>
    </message>
    <message>
        <source>A file for each character, as long as the mix</source>
        <translation>每个角色一个文件，与混音等长</translation>
    </message>
    <message>
        <source>Single cues</source>
        <translation>单条台词</translation>
    </message>
    <message>
        <source>A file for each cue</source>
        <translation>每条台词一个文件</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>With the times at which the cues are heard</source>
        <translation>带有台词实际发声的时间</translation>
    </message>
    <message>
        <source>Replace files that exist</source>
        <translation>替换已有文件</translation>
    </message>
    <message>
        <source>Kind of subtitles</source>
        <translation>字幕格式</translation>
    </message>
    <message>
        <source>Made of {fields}</source>
        <translation>由 {fields} 组成</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Says in the file that it is generated (GB 45438-2025)</source>
        <translation>在文件中注明为生成内容（GB 45438-2025）</translation>
    </message>
    <message>
        <source>Content credentials</source>
        <translation>内容凭证</translation>
    </message>
    <message>
        <source>Signed: shows that nothing was changed since</source>
        <translation>已签名：表明此后未被改动</translation>
    </message>
    <message>
        <source>Watermark</source>
        <translation>水印</translation>
    </message>
    <message>
        <source>In the sound itself; survives MP3 and Opus</source>
        <translation>在声音之中；经 MP3 和 Opus 仍保留</translation>
    </message>
    <message>
        <source>Why a mark is left out; it goes to the audit log</source>
        <translation>为何省略标识；会记入审计日志</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Export the mix</source>
        <translation>导出混音</translation>
    </message>
</context>
<context>
    <name>DubJobs</name>
    <message>
        <source>Looking at the texts…</source>
        <translation>正在检查文本…</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Mixing…</source>
        <translation>正在混音…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Making takes…</source>
        <translation>正在生成版本…</translation>
    </message>
    <message>
        <source>{done} of {total} cues are made</source>
        <translation>已生成 {done} / {total} 条台词</translation>
    </message>
    <message>
        <source>Marking and writing the mix…</source>
        <translation>正在标识并写出混音…</translation>
    </message>
    <message>
        <source>Checking the mix…</source>
        <translation>正在检查混音…</translation>
    </message>
    <message>
        <source>Writing stems…</source>
        <translation>正在写出分轨…</translation>
    </message>
    <message>
        <source>Writing cues…</source>
        <translation>正在写出台词…</translation>
    </message>
    <message>
        <source>Saved: {path}. Loudness {loudness:.1f} LUFS, true peak {peak:.1f} dB.</source>
        <translation>已保存：{path}。响度 {loudness:.1f} LUFS，真峰值 {peak:.1f} dB。</translation>
    </message>
    <message>
        <source>The takes could not be made to the end. What was made is kept.</source>
        <translation>未能全部生成。已生成的内容已保留。</translation>
    </message>
    <message>
        <source>The mix could not be written.</source>
        <translation>无法写出混音。</translation>
    </message>
</context>
<context>
    <name>DubReport</name>
    <message>
        <source>Import report</source>
        <translation>导入报告</translation>
    </message>
    <message>
        <source>Skipped or repaired: {count}. All else was taken as it is.</source>
        <translation>跳过或修复：{count} 处。其余均按原样采用。</translation>
    </message>
    <message>
        <source>Nothing was skipped, and nothing had to be repaired.</source>
        <translation>没有跳过任何内容，也无需修复。</translation>
    </message>
    <message>
        <source>Skipped or repaired</source>
        <translation>跳过或修复</translation>
    </message>
    <message>
        <source>Line {line}: {text}</source>
        <translation>第 {line} 行：{text}</translation>
    </message>
</context>
<context>
    <name>DubWords</name>
    <message>
        <source>Words</source>
        <translation>读法</translation>
    </message>
    <message>
        <source>Words that are said in another way than they are written. Those of the project come first. Subtitles keep what is written.</source>
        <translation>读法与写法不同的词。项目中的优先。字幕保留原文。</translation>
    </message>
    <message>
        <source>Word</source>
        <translation>词</translation>
    </message>
    <message>
        <source>Said as</source>
        <translation>读作</translation>
    </message>
    <message>
        <source>Counts for</source>
        <translation>适用于</translation>
    </message>
    <message>
        <source>Dictionary</source>
        <translation>读音词典</translation>
    </message>
    <message>
        <source>As it is written</source>
        <translation>写法</translation>
    </message>
    <message>
        <source>Write it as it sounds</source>
        <translation>按读音书写</translation>
    </message>
    <message>
        <source>this project</source>
        <translation>本项目</translation>
    </message>
    <message>
        <source>all projects</source>
        <translation>所有项目</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>Say this word so from now on; cues that change become stale</source>
        <translation>从现在起这样读；受影响的台词将过期</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Say this word as it is written again</source>
        <translation>恢复按写法读</translation>
    </message>
    <message>
        <source>Cues that are said in another way</source>
        <translation>读法有变的台词</translation>
    </message>
</context>
<context>
    <name>DubbingPanel</name>
    <message>
        <source>Make {count}</source>
        <translation>生成 {count} 条</translation>
    </message>
    <message>
        <source>All is made</source>
        <translation>已全部生成</translation>
    </message>
    <message>
        <source>Dub</source>
        <translation>配音</translation>
    </message>
    <message>
        <source>Look at {count}</source>
        <translation>查看 {count} 处</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Cues: {count}</source>
        <translation>台词：{count}</translation>
    </message>
    <message>
        <source>stale: {count}</source>
        <translation>过期：{count}</translation>
    </message>
    <message>
        <source>stretched: {count}</source>
        <translation>变速：{count}</translation>
    </message>
    <message>
        <source>too long: {count}</source>
        <translation>过长：{count}</translation>
    </message>
    <message>
        <source>overlapping: {count}</source>
        <translation>重叠：{count}</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open subtitles, a script, a text, a table or a project</source>
        <translation>打开字幕、剧本、文本、表格或项目</translation>
    </message>
    <message>
        <source>Open subtitles or a script…</source>
        <translation>打开字幕或剧本…</translation>
    </message>
    <message>
        <source>Open subtitles or a script</source>
        <translation>打开字幕或剧本</translation>
    </message>
    <message>
        <source>Open subtitles (SRT, WebVTT, ASS), a script with NAME: line, a table (CSV) or a long text. It becomes a project beside the file: cast voices, make the cues, choose takes, and export the mix.</source>
        <translation>打开字幕（SRT、WebVTT、ASS）、“名字: 台词”格式的剧本、表格（CSV）或长文本。它会在文件旁成为一个项目：分配声音、生成台词、挑选版本，然后导出混音。</translation>
    </message>
    <message>
        <source>Original sound…</source>
        <translation>原声…</translation>
    </message>
    <message>
        <source>The sound or film that the cues stand over</source>
        <translation>台词所对应的声音或影片</translation>
    </message>
    <message>
        <source>Words…</source>
        <translation>读法…</translation>
    </message>
    <message>
        <source>How words are said: for this project, and for all</source>
        <translation>词怎么读：针对本项目和所有项目</translation>
    </message>
    <message>
        <source>Import report…</source>
        <translation>导入报告…</translation>
    </message>
    <message>
        <source>What was skipped or repaired when the file was read</source>
        <translation>读取文件时跳过或修复了什么</translation>
    </message>
    <message>
        <source>Mix and export…</source>
        <translation>混音并导出…</translation>
    </message>
    <message>
        <source>Write the mix, stems, single cues and subtitles (Ctrl+E)</source>
        <translation>写出混音、分轨、单条台词和字幕（Ctrl+E）</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the project; it is saved</source>
        <translation>关闭项目；内容已保存</translation>
    </message>
    <message>
        <source>Cues</source>
        <translation>台词</translation>
    </message>
    <message>
        <source>Up and down choose, Space listens, R redoes, 1 to 3 pick a take</source>
        <translation>上下键选择，空格试听，R 重做，1 到 3 挑选版本</translation>
    </message>
    <message>
        <source>Cue</source>
        <translation>台词</translation>
    </message>
    <message>
        <source>Cast</source>
        <translation>配音表</translation>
    </message>
    <message>
        <source>Cue or cast</source>
        <translation>台词或配音表</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Takes of each cue</source>
        <translation>每条台词的版本数</translation>
    </message>
    <message>
        <source>The one that fits its time best is chosen</source>
        <translation>自动选用时长最合适的版本</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>填满</translation>
    </message>
    <message>
        <source>Slow down takes that are shorter than their cue, at most 1.25 ×</source>
        <translation>放慢比台词时间短的版本，最多 1.25 ×</translation>
    </message>
    <message>
        <source>Ripple</source>
        <translation>顺延</translation>
    </message>
    <message>
        <source>Move what comes behind a cue that is too long</source>
        <translation>台词过长时，后面的依次后移</translation>
    </message>
    <message>
        <source>Snap</source>
        <translation>吸附</translation>
    </message>
    <message>
        <source>Dragged edges stick to those of other cues and to the playhead</source>
        <translation>拖动的边缘会吸附到其他台词和播放头</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Make what is missing or stale (Ctrl+Enter)</source>
        <translation>生成缺少或过期的台词（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop and keep what was made (Esc)</source>
        <translation>停止并保留已生成的内容（Esc）</translation>
    </message>
    <message>
        <source>Next problem</source>
        <translation>下一个问题</translation>
    </message>
    <message>
        <source>Go to the next cue to look at (N)</source>
        <translation>转到下一条需要查看的台词（N）</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Subtitles, script, text or table…</source>
        <translation>字幕、剧本、文本或表格…</translation>
    </message>
    <message>
        <source>Project folder…</source>
        <translation>项目文件夹…</translation>
    </message>
</context>
<context>
    <name>Edits</name>
    <message>
        <source>This cue is not there any more.</source>
        <translation>这条台词已不存在。</translation>
    </message>
    <message>
        <source>Merge two different cues.</source>
        <translation>请合并两条不同的台词。</translation>
    </message>
    <message>
        <source>Together they are too long for one cue.</source>
        <translation>合并后对一条台词来说太长。</translation>
    </message>
    <message>
        <source>A cue with times cannot be merged with one without.</source>
        <translation>有时间的台词不能与没有时间的合并。</translation>
    </message>
    <message>
        <source>There is no such place in the list.</source>
        <translation>列表中没有这个位置。</translation>
    </message>
    <message>
        <source>Split a cue between its start and its end.</source>
        <translation>请在开始与结束之间拆分。</translation>
    </message>
    <message>
        <source>Split a cue inside its text: both parts need words.</source>
        <translation>请在文本中间拆分：两部分都要有文字。</translation>
    </message>
    <message>
        <source>This cue is too short to be split.</source>
        <translation>这条台词太短，无法拆分。</translation>
    </message>
    <message>
        <source>A cue of that id is there already.</source>
        <translation>已有相同编号的台词。</translation>
    </message>
</context>
<context>
    <name>Failures</name>
    <message>
        <source>This text cannot be spoken as it is: it has no words, odd characters in it, or is too long.</source>
        <translation>这段文字无法照原样朗读：没有可读的词、含有异常字符，或者过长。</translation>
    </message>
    <message>
        <source>This description cannot be used. Write plain words without brackets.</source>
        <translation>这段描述无法使用。请用普通文字书写，不要带括号。</translation>
    </message>
    <message>
        <source>The transcript cannot be used: write down what is said in the prompt.</source>
        <translation>这段文字稿无法使用：请写下提示音频中所说的话。</translation>
    </message>
    <message>
        <source>This reference cannot be used with this model and this text.</source>
        <translation>这段参考音频无法用于当前的模型和文本。</translation>
    </message>
    <message>
        <source>This prompt cannot be used with this model and this text.</source>
        <translation>这段提示音频无法用于当前的模型和文本。</translation>
    </message>
    <message>
        <source>This voice cannot be used with this model. Open its audio again.</source>
        <translation>这个声音无法用于当前的模型。请重新打开它的音频。</translation>
    </message>
    <message>
        <source>Numbers and signs in this text cannot be written out. Turn that off.</source>
        <translation>无法把这段文字中的数字和符号写成文字。请关闭该选项。</translation>
    </message>
    <message>
        <source>This voice may not be used: the consent is missing, has expired or does not cover this.</source>
        <translation>不可使用这个声音：没有同意、同意已过期，或同意不包括这一用途。</translation>
    </message>
    <message>
        <source>This voice may not be used: nobody has agreed. Answer the consent question, or save the voice.</source>
        <translation>不能使用这个声音：没有人同意。请回答同意的问题，或保存声音。</translation>
    </message>
    <message>
        <source>This voice may not be used: the consent has expired. Ask the person for a new one.</source>
        <translation>不能使用这个声音：同意已到期。请向本人重新征得同意。</translation>
    </message>
    <message>
        <source>This voice may not be used: the consent was withdrawn.</source>
        <translation>不能使用这个声音：同意已撤回。</translation>
    </message>
    <message>
        <source>This voice may not be used for this: the consent does not cover it. Ask the person to extend it.</source>
        <translation>不能这样使用这个声音：不在同意的范围内。请本人扩大范围。</translation>
    </message>
    <message>
        <source>This voice may not be used: there is a complaint about it.</source>
        <translation>不能使用这个声音：收到了投诉。</translation>
    </message>
    <message>
        <source>This voice may not be used: it was imported without a valid consent record.</source>
        <translation>不能使用这个声音：导入时没有有效的同意记录。</translation>
    </message>
    <message>
        <source>This text is about sensitive matters. Press Generate again and say why it may be spoken.</source>
        <translation>这段文本涉及敏感内容。请再次点击“生成”，并说明为什么可以朗读。</translation>
    </message>
    <message>
        <source>No model is loaded. Choose a model folder first.</source>
        <translation>尚未载入模型。请先选择模型文件夹。</translation>
    </message>
    <message>
        <source>The model folder is incomplete, damaged or of an unknown kind.</source>
        <translation>模型文件夹不完整、已损坏或类型未知。</translation>
    </message>
    <message>
        <source>These weights are pickled, which can hide a program, and nothing here knows them. Allow them only if you know where they come from.</source>
        <translation>这些权重是 pickle 格式，其中可能藏有程序，而本机不认识它们。只有在您知道其来源时才允许读取。</translation>
    </message>
    <message>
        <source>The studio is offline, so nothing is downloaded. Switch Offline off in the settings, or choose a folder.</source>
        <translation>当前为离线模式，不会下载任何内容。请在设置中关闭“离线”，或选择已有的文件夹。</translation>
    </message>
    <message>
        <source>There is too little room on the disk. Make room, or choose another folder for downloads in the settings.</source>
        <translation>磁盘空间不足。请腾出空间，或在设置中选择其他下载文件夹。</translation>
    </message>
    <message>
        <source>The download failed. What was fetched is kept; the details say why.</source>
        <translation>下载失败。已下载的部分会保留，原因见详情。</translation>
    </message>
    <message>
        <source>The device or the precision cannot be used here. Choose another one under Models.</source>
        <translation>本机无法使用所选的设备或精度。请在“模型”中另选。</translation>
    </message>
    <message>
        <source>This LoRA cannot be used with this model.</source>
        <translation>此 LoRA 不能用于当前模型。</translation>
    </message>
    <message>
        <source>Something unexpected happened. What was made is kept; the details say what it was.</source>
        <translation>发生了意外错误。已生成的内容会保留，详情说明了具体情况。</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. What was made is kept.</source>
        <translation>引擎意外停止，已重新启动。已生成的内容会保留。</translation>
    </message>
    <message>
        <source>The engine was ended by the system, which happens when memory runs out. It was started again, and what was made is kept.</source>
        <translation>引擎已被系统终止，这通常是因为内存耗尽。引擎已重新启动，已生成的内容已保留。</translation>
    </message>
    <message>
        <source>The engine did not answer any more and was started again. What was made is kept.</source>
        <translation>引擎不再响应，已重新启动。已生成的内容已保留。</translation>
    </message>
    <message>
        <source>There is not enough memory for this. What was made is kept. Make fewer takes or a shorter text.</source>
        <translation>内存不足。已生成的内容已保留。请减少一次生成的版本数，或缩短文本。</translation>
    </message>
    <message>
        <source>The audio file cannot be read any more. Open it again.</source>
        <translation>音频文件已无法读取。请重新打开。</translation>
    </message>
    <message>
        <source>The audio is too short. 3 to 30 seconds of speech work well.</source>
        <translation>音频太短。3 到 30 秒的语音效果较好。</translation>
    </message>
    <message>
        <source>The audio is silent. Choose a part with speech.</source>
        <translation>音频是静音。请选择有人说话的部分。</translation>
    </message>
    <message>
        <source>There is no sound in this audio. Choose another file.</source>
        <translation>这段音频没有声音。请选择其他文件。</translation>
    </message>
    <message>
        <source>This file cannot be read as audio. Convert it to WAV, FLAC, Ogg or MP3.</source>
        <translation>无法把这个文件当作音频读取。请转换为 WAV、FLAC、Ogg 或 MP3。</translation>
    </message>
    <message>
        <source>The audio file is damaged. Copy or record it again.</source>
        <translation>音频文件已损坏。请重新复制或录制。</translation>
    </message>
    <message>
        <source>The audio file is damaged. Export it again.</source>
        <translation>音频文件已损坏。请重新导出。</translation>
    </message>
    <message>
        <source>The sample rate of this audio cannot be used.</source>
        <translation>这段音频的采样率无法使用。</translation>
    </message>
    <message>
        <source>This audio has too many channels.</source>
        <translation>这段音频的声道过多。</translation>
    </message>
    <message>
        <source>The prompt is too long. Trim the audio and give the transcript of what is left.</source>
        <translation>提示音频太长。请剪短，并写下剩余部分的文字稿。</translation>
    </message>
</context>
<context>
    <name>HearWatermark</name>
    <message>
        <source>Hear the watermark</source>
        <translation>试听水印</translation>
    </message>
    <message>
        <source>Every file that leaves the studio carries this mark. What it adds lies {level:.0f} dB below the take. Switch while it plays: the place stays.</source>
        <translation>每个导出的文件都带有这个水印。它加入的声音比版本低 {level:.0f} dB。播放时可以切换，位置不变。</translation>
    </message>
    <message>
        <source>The take as it was made</source>
        <translation>生成的原版本</translation>
    </message>
    <message>
        <source>The take with the watermark</source>
        <translation>带水印的版本</translation>
    </message>
    <message>
        <source>What the watermark adds, alone</source>
        <translation>只听水印加入的部分</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>播放或暂停</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>JobControl</name>
    <message>
        <source>The take is made in full with seed {seed} and {steps} steps. It may differ from the draft: more steps change the sound, and now and then words and melody too. The draft stays in the list.</source>
        <translation>正在用种子 {seed} 和 {steps} 步完整生成。结果可能与草稿不同：步数增加会改变声音，有时也会改变用词和语调。草稿仍保留在列表中。</translation>
    </message>
    <message>
        <source>Load a model first, then try again.</source>
        <translation>请先加载模型，然后重试。</translation>
    </message>
    <message>
        <source>Takes are being made. Esc stops.</source>
        <translation>正在生成版本。按 Esc 停止。</translation>
    </message>
    <message>
        <source>Takes are being made. Esc stops. Jobs that wait: {count}</source>
        <translation>正在生成版本。按 Esc 停止。等待的任务：{count}</translation>
    </message>
    <message>
        <source>The takes follow as soon as the model is loaded. Esc gives it up.</source>
        <translation>模型加载完成后立即生成。按 Esc 放弃。</translation>
    </message>
    <message>
        <source>Choose a model first: the button at the top right.</source>
        <translation>请先选择模型：右上角的按钮。</translation>
    </message>
    <message>
        <source>Stopped. What was made is kept.</source>
        <translation>已停止。已生成的部分已保留。</translation>
    </message>
    <message>
        <source>Done. Takes made: {count}</source>
        <translation>完成。已生成版本：{count}</translation>
    </message>
</context>
<context>
    <name>JobsPanel</name>
    <message>
        <source>takes: {count}</source>
        <translation>版本：{count}</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>being made</source>
        <translation>生成中</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>done in about {wait}</source>
        <translation>大约 {wait} 后完成</translation>
    </message>
    <message>
        <source>takes about {wait}</source>
        <translation>大约需要 {wait}</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>What is made, in this order</source>
        <translation>按此顺序生成</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>提前</translation>
    </message>
    <message>
        <source>Let the chosen job run before the one above it</source>
        <translation>让选中的任务排到上一个之前</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>推后</translation>
    </message>
    <message>
        <source>Let the chosen job run after the one below it</source>
        <translation>让选中的任务排到下一个之后</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Let the chosen job run once more</source>
        <translation>再运行一次选中的任务</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stop the chosen job, or take it out; what was made is kept</source>
        <translation>停止选中的任务，或将其移除；已生成的内容会保留</translation>
    </message>
</context>
<context>
    <name>JoinControl</name>
    <message>
        <source>Select two to four takes of the same text to join their phrases.</source>
        <translation>请选中同一文本的两到四个版本来拼接语句。</translation>
    </message>
    <message>
        <source>These takes cannot be joined.</source>
        <translation>这些版本无法拼接。</translation>
    </message>
</context>
<context>
    <name>JoinDialog</name>
    <message>
        <source>Join phrases</source>
        <translation>拼接语句</translation>
    </message>
    <message>
        <source>Choose for each phrase the take that it comes from. The takes themselves stay as they are.</source>
        <translation>为每一句选择取自哪个版本。各版本本身保持不变。</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>拼接</translation>
    </message>
    <message>
        <source>Put the joined take into the list</source>
        <translation>把拼接好的版本放进列表</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Join nothing</source>
        <translation>不拼接</translation>
    </message>
    <message>
        <source>Take {number}</source>
        <translation>版本 {number}</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>种子 {seed}</translation>
    </message>
    <message>
        <source>Phrase {number}</source>
        <translation>第 {number} 句</translation>
    </message>
    <message>
        <source>Phrase {phrase} of take {take}</source>
        <translation>版本 {take} 的第 {phrase} 句</translation>
    </message>
    <message>
        <source>Take this phrase, and hear it</source>
        <translation>采用并试听这一句</translation>
    </message>
</context>
<context>
    <name>LatentView</name>
    <message>
        <source>patch {patch}, latents from {low:.1f} to {high:.1f}</source>
        <translation>第 {patch} 块，潜变量从 {low:.1f} 到 {high:.1f}</translation>
    </message>
    <message>
        <source>Latents</source>
        <translation>潜变量</translation>
    </message>
    <message>
        <source>Latents: what the model wrote, one row per channel; lines mark the patches</source>
        <translation>潜变量：模型写出的内容，每个通道一行；竖线标出各块</translation>
    </message>
</context>
<context>
    <name>LevelMeter</name>
    <message>
        <source>too loud</source>
        <translation>过响</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>电平</translation>
    </message>
    <message>
        <source>Level of what is heard; the mark and the number hold the highest for a moment</source>
        <translation>所听声音的电平；标记和数字会短暂保持最高值</translation>
    </message>
</context>
<context>
    <name>LoraBox</name>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>None in use</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>A LoRA changes how a model sounds.</source>
        <translation>LoRA 会改变模型的声音。</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>Strength of the LoRA</source>
        <translation>LoRA 的强度</translation>
    </message>
    <message>
        <source>0 = as without it, 1 = as it was trained, up to 4.</source>
        <translation>0 = 等于不用，1 = 训练时的强度，最大 4。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose a LoRA</source>
        <translation>选择 LoRA</translation>
    </message>
    <message>
        <source>Choose the folder that a LoRA was saved to</source>
        <translation>选择保存 LoRA 的文件夹</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Use no LoRA</source>
        <translation>不使用 LoRA</translation>
    </message>
    <message>
        <source>rank {rank}, changes {count} layers</source>
        <translation>秩 {rank}，改变 {count} 层</translation>
    </message>
    <message>
        <source>{count} parts of the file have no place in this model</source>
        <translation>文件中有 {count} 个部分不适用于此模型</translation>
    </message>
    <message>
        <source>{count} layers are missing in the file</source>
        <translation>文件中缺少 {count} 层</translation>
    </message>
    <message>
        <source>carries the voice of a person, with consent</source>
        <translation>含有某人的声音，已获同意</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Save the take</source>
        <translation>保存版本</translation>
    </message>
    <message>
        <source>Saved: {path}</source>
        <translation>已保存：{path}</translation>
    </message>
    <message>
        <source>The take could not be saved as {path}. It is still in the list: save it elsewhere.</source>
        <translation>版本无法保存为 {path}。它仍在列表中，请保存到别处。</translation>
    </message>
</context>
<context>
    <name>Making</name>
    <message>
        <source>The plan was begun with another model, device, library or number of threads: what is made now can differ in its last bits from what would have come out then.</source>
        <translation>这份计划是用另一个模型、设备、程序库或线程数开始的：现在生成的内容可能与当时的结果在最末几位上不同。</translation>
    </message>
    <message>
        <source>Style notes and descriptions are left out where a model or a voice with a prompt takes none.</source>
        <translation>模型或带提示音频的声音不接受语气说明和描述时，它们会被略去。</translation>
    </message>
</context>
<context>
    <name>Marks</name>
    <message>
        <source>Marked as generated</source>
        <translation>带有生成标识</translation>
    </message>
    <message>
        <source>No mark was found</source>
        <translation>没有找到标识</translation>
    </message>
    <message>
        <source>A mark does not fit this file</source>
        <translation>有一个标识与此文件不符</translation>
    </message>
    <message>
        <source>Label (AIGC)</source>
        <translation>标识（AIGC）</translation>
    </message>
    <message>
        <source>Content credentials</source>
        <translation>内容凭证</translation>
    </message>
    <message>
        <source>Watermark</source>
        <translation>水印</translation>
    </message>
    <message>
        <source>Marks help honest people. Label and credentials can be taken off by anyone who saves the file anew, and the watermark by changing the pitch: a file without marks may still be generated.</source>
        <translation>标识对诚实的人有用。任何人重新保存文件都能去掉标识和凭证，改变音高能去掉水印：没有标识的文件仍可能是生成的。</translation>
    </message>
    <message>
        <source>Ogg Opus cannot carry content credentials; it gets the other marks.</source>
        <translation>Ogg Opus 不能携带内容凭证；其他标识照常写入。</translation>
    </message>
    <message>
        <source>This sound is too short, too quiet or too plain to carry a watermark.</source>
        <translation>这段声音太短、太轻或太单调，无法携带水印。</translation>
    </message>
    <message>
        <source>There is none.</source>
        <translation>没有。</translation>
    </message>
    <message>
        <source>It says that the sound is generated, by {producer}.</source>
        <translation>它说明声音由 {producer} 生成。</translation>
    </message>
    <message>
        <source>It says that the sound may be generated, by {producer}.</source>
        <translation>它说明声音可能由 {producer} 生成。</translation>
    </message>
    <message>
        <source>It says that the sound is suspected to be generated, by {producer}.</source>
        <translation>它说明声音疑似由 {producer} 生成。</translation>
    </message>
    <message>
        <source>It says something that the standard does not know.</source>
        <translation>它的内容不在标准之内。</translation>
    </message>
    <message>
        <source>an unnamed producer</source>
        <translation>未署名的生成者</translation>
    </message>
    <message>
        <source>It has no hash, so whether it belongs to this sound cannot be told.</source>
        <translation>它没有哈希值，无法判断是否属于这段声音。</translation>
    </message>
    <message>
        <source>Its hash fits the sound: neither was changed alone. It is no signature; anyone can make one.</source>
        <translation>它的哈希值与声音相符：两者都没有被单独改动。它不是签名，任何人都能制作。</translation>
    </message>
    <message>
        <source>Its hash covers the label alone, as in a stream: it may have come from another file.</source>
        <translation>它的哈希值只覆盖标识本身，例如流式输出：标识可能来自其他文件。</translation>
    </message>
    <message>
        <source>Its hash does not fit: the sound or the label was changed, or another program made it.</source>
        <translation>它的哈希值不相符：声音或标识被改动过，或者由其他程序制作。</translation>
    </message>
    <message>
        <source>There are none.</source>
        <translation>没有。</translation>
    </message>
    <message>
        <source>They do not hold: the file was changed after it was signed, or they are damaged.</source>
        <translation>凭证无效：文件在签名之后被改动过，或者凭证已损坏。</translation>
    </message>
    <message>
        <source>somebody unnamed</source>
        <translation>未署名者</translation>
    </message>
    <message>
        <source>The file is as it was when {who} signed it.</source>
        <translation>文件与 {who} 签名时一致。</translation>
    </message>
    <message>
        <source>A trusted authority vouches for the signer.</source>
        <translation>有受信任的机构为签名者作证。</translation>
    </message>
    <message>
        <source>No trusted authority vouches for the signer: whoever made the key calls itself that.</source>
        <translation>没有受信任的机构为签名者作证：这个名字由密钥的制作者自取。</translation>
    </message>
    <message>
        <source>They state that a trained model made the sound.</source>
        <translation>凭证说明声音由训练出的模型生成。</translation>
    </message>
    <message>
        <source>They do not say who or what made the sound.</source>
        <translation>凭证没有说明声音由谁或什么制作。</translation>
    </message>
    <message>
        <source>It was not looked for.</source>
        <translation>没有查找。</translation>
    </message>
    <message>
        <source>There is too little sound to look for one.</source>
        <translation>声音太少，无法查找。</translation>
    </message>
    <message>
        <source>There is none ({score:.2f} of 1).</source>
        <translation>没有（{score:.2f}，满分 1）。</translation>
    </message>
    <message>
        <source>the whole sound</source>
        <translation>整段声音</translation>
    </message>
    <message>
        <source>There is one in {part} ({score:.2f} of 1). It says that a program that uses this watermark made the sound, not which one or who used it.</source>
        <translation>在{part}中有水印（{score:.2f}，满分 1）。它说明声音由使用此水印的程序制作，不说明是哪个程序、由谁使用。</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Take</source>
        <translation>版本(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Dub</source>
        <translation>配音(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Open a model folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <source>Models and downloads…</source>
        <translation>模型与下载…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Saved data and backups…</source>
        <translation>已保存的数据与备份…</translation>
    </message>
    <message>
        <source>Where your data goes</source>
        <translation>数据流向</translation>
    </message>
    <message>
        <source>When a voice was misused</source>
        <translation>声音被滥用时</translation>
    </message>
    <message>
        <source>Load the model at start</source>
        <translation>启动时加载模型</translation>
    </message>
    <message>
        <source>Save take…</source>
        <translation>保存版本…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>播放或暂停</translation>
    </message>
    <message>
        <source>Pick take 1</source>
        <translation>选择版本 1</translation>
    </message>
    <message>
        <source>Pick take 2</source>
        <translation>选择版本 2</translation>
    </message>
    <message>
        <source>Pick take 3</source>
        <translation>选择版本 3</translation>
    </message>
    <message>
        <source>Compare takes</source>
        <translation>比较版本</translation>
    </message>
    <message>
        <source>Compare blind</source>
        <translation>盲听比较</translation>
    </message>
    <message>
        <source>Use the take that is heard</source>
        <translation>选用正在听的版本</translation>
    </message>
    <message>
        <source>Copy take as a file</source>
        <translation>将版本复制为文件</translation>
    </message>
    <message>
        <source>Paste a recording</source>
        <translation>粘贴录音</translation>
    </message>
    <message>
        <source>Save a listening sheet…</source>
        <translation>保存试听页…</translation>
    </message>
    <message>
        <source>Hear the watermark…</source>
        <translation>试听水印…</translation>
    </message>
    <message>
        <source>Look for the marks of a file…</source>
        <translation>查看文件的标识…</translation>
    </message>
    <message>
        <source>Join phrases of the selected takes…</source>
        <translation>拼接选中版本的语句…</translation>
    </message>
    <message>
        <source>Reproduce take</source>
        <translation>重现版本</translation>
    </message>
    <message>
        <source>Move take to the bin</source>
        <translation>将版本移到回收站</translation>
    </message>
    <message>
        <source>Take back the last move to the bin</source>
        <translation>撤销上一次移动</translation>
    </message>
    <message>
        <source>Look for sound devices again</source>
        <translation>重新查找声音设备</translation>
    </message>
    <message>
        <source>Forget all takes…</source>
        <translation>清除所有版本…</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Open subtitles or a script…</source>
        <translation>打开字幕或剧本…</translation>
    </message>
    <message>
        <source>Choose the original sound…</source>
        <translation>选择原声…</translation>
    </message>
    <message>
        <source>Remove the original sound</source>
        <translation>移除原声</translation>
    </message>
    <message>
        <source>How words are said…</source>
        <translation>词的读法…</translation>
    </message>
    <message>
        <source>Mix and export…</source>
        <translation>混音并导出…</translation>
    </message>
    <message>
        <source>Do again</source>
        <translation>重做一步</translation>
    </message>
    <message>
        <source>Listen from the playhead on</source>
        <translation>从播放头开始试听</translation>
    </message>
    <message>
        <source>Listen to the original of the cue</source>
        <translation>试听台词的原声</translation>
    </message>
    <message>
        <source>Make another take of the cue</source>
        <translation>为台词再生成一个版本</translation>
    </message>
    <message>
        <source>Split the cue</source>
        <translation>拆分台词</translation>
    </message>
    <message>
        <source>Merge the cue with the next one</source>
        <translation>与下一条台词合并</translation>
    </message>
    <message>
        <source>Delete the cue</source>
        <translation>删除台词</translation>
    </message>
    <message>
        <source>Write the text of the cue</source>
        <translation>编辑台词文本</translation>
    </message>
    <message>
        <source>Next cue</source>
        <translation>下一条台词</translation>
    </message>
    <message>
        <source>Cue before</source>
        <translation>上一条台词</translation>
    </message>
    <message>
        <source>Next cue to look at</source>
        <translation>下一条需要查看的台词</translation>
    </message>
    <message>
        <source>Cue to look at before</source>
        <translation>上一条需要查看的台词</translation>
    </message>
    <message>
        <source>Move the cue earlier</source>
        <translation>台词前移</translation>
    </message>
    <message>
        <source>Move the cue later</source>
        <translation>台词后移</translation>
    </message>
    <message>
        <source>Make the cue shorter</source>
        <translation>缩短台词</translation>
    </message>
    <message>
        <source>Make the cue longer</source>
        <translation>延长台词</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Show all cues</source>
        <translation>显示所有台词</translation>
    </message>
</context>
<context>
    <name>MicrophoneMeter</name>
    <message>
        <source>Level of the microphone</source>
        <translation>麦克风电平</translation>
    </message>
    <message>
        <source>Speak so that it stays between -20 and -6 dB.</source>
        <translation>说话时让电平保持在 -20 到 -6 dB 之间。</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Choose the folder of a model</source>
        <translation>选择模型所在的文件夹</translation>
    </message>
    <message>
        <source>Open a model folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <source>Bundled: {name}</source>
        <translation>自带：{name}</translation>
    </message>
    <message>
        <source>Models and downloads…</source>
        <translation>模型与下载…</translation>
    </message>
</context>
<context>
    <name>ModelCardView</name>
    <message>
        <source>About</source>
        <translation>简介</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Learnt from</source>
        <translation>训练来源</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Memory here</source>
        <translation>本机所需内存</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>It does not say.</source>
        <translation>没有说明。</translation>
    </message>
    <message>
        <source>Not on this machine yet</source>
        <translation>尚未下载到本机</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>{low:g} kHz in, {high:g} kHz out</source>
        <translation>输入 {low:g} kHz，输出 {high:g} kHz</translation>
    </message>
    <message>
        <source>{size} on the disk</source>
        <translation>占用磁盘 {size}</translation>
    </message>
    <message>
        <source>about {size} to download, counted from its published shape</source>
        <translation>约需下载 {size}，按公布的结构计算</translation>
    </message>
    <message>
        <source>is being worked out…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Not known: no such device here</source>
        <translation>未知：本机没有这种设备</translation>
    </message>
    <message>
        <source>{weights} for the weights ({dtype} on {device}), up to {context} more for the longest take; {free} of {memory} are free. Computed, not measured.</source>
        <translation>权重需 {weights}（{device} 上的 {dtype}），最长的版本最多再需 {context}；共 {memory}，空闲 {free}。为计算值，并非实测。</translation>
    </message>
    <message>
        <source>Too little memory is free. {text}</source>
        <translation>空闲内存不足。{text}</translation>
    </message>
</context>
<context>
    <name>ModelControl</name>
    <message>
        <source>The model folder used last is gone: {folder}. Choose another one.</source>
        <translation>上次使用的模型文件夹已不存在：{folder}。请另选一个。</translation>
    </message>
    <message>
        <source>{folder} is no model folder: it has no config.json.</source>
        <translation>{folder} 不是模型文件夹：其中没有 config.json。</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>The model is unloaded. It is loaded again when it is needed.</source>
        <translation>模型已卸载，需要时会重新载入。</translation>
    </message>
    <message>
        <source>The model is ready.</source>
        <translation>模型已就绪。</translation>
    </message>
    <message>
        <source>The model could not be loaded.</source>
        <translation>模型无法加载。</translation>
    </message>
</context>
<context>
    <name>ModelManager</name>
    <message>
        <source>Free on the disk: {size}</source>
        <translation>磁盘剩余：{size}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Fetch this model, pause, or go on where it was</source>
        <translation>下载此模型、暂停，或从上次的位置继续</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>已载入</translation>
    </message>
    <message>
        <source>comes with the studio</source>
        <translation>随程序附带</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>在本机上</translation>
    </message>
    <message>
        <source>on this machine, checked</source>
        <translation>在本机上，已校验</translation>
    </message>
    <message>
        <source>is being checked…</source>
        <translation>正在校验…</translation>
    </message>
    <message>
        <source>is being fetched…</source>
        <translation>正在下载…</translation>
    </message>
    <message>
        <source>is being paused…</source>
        <translation>正在暂停…</translation>
    </message>
    <message>
        <source>paused, {size} are here</source>
        <translation>已暂停，已有 {size}</translation>
    </message>
    <message>
        <source>about {size} to download</source>
        <translation>约需下载 {size}</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The studio opens with a model that comes with it. Better ones can be fetched here, or choose a folder that you have. You find this again under File, Models.</source>
        <translation>程序自带一个可以立即使用的模型。更好的模型可以在这里下载，也可以选择您已有的文件夹。以后可在“文件 › 模型与下载”中再次打开此窗口。</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>下载进度</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>载入</translation>
    </message>
    <message>
        <source>Load this model in place of the one that is loaded</source>
        <translation>载入此模型，替换当前的模型</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Free the memory of this model</source>
        <translation>释放此模型占用的内存</translation>
    </message>
    <message>
        <source>Check the files</source>
        <translation>校验文件</translation>
    </message>
    <message>
        <source>Compare every file with the checksum it came with; offline</source>
        <translation>将每个文件与下载时的校验和比对，不需要网络</translation>
    </message>
    <message>
        <source>I have a folder…</source>
        <translation>我已有文件夹…</translation>
    </message>
    <message>
        <source>I have a folder</source>
        <translation>我已有文件夹</translation>
    </message>
    <message>
        <source>Open a model folder from this machine</source>
        <translation>打开本机上的模型文件夹</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Mirror, folder for downloads, and all else</source>
        <translation>镜像、下载文件夹以及其他所有设置</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>Apache-2.0 for code and weights, as its makers say.</source>
        <translation>代码和权重均为 Apache-2.0（据其开发者所述）。</translation>
    </message>
    <message>
        <source>30 languages and 9 Chinese dialects, as claimed by its makers; not measured here, the dialects unverified.</source>
        <translation>30 种语言和 9 种汉语方言，为开发者所称；此处未经测量，方言未经验证。</translation>
    </message>
    <message>
        <source>The makers say more than 2 million hours of speech. Whose voices these are, where they come from and whether the speakers agreed is not published.</source>
        <translation>开发者称使用了超过 200 万小时的语音。这些是谁的声音、来自何处、说话人是否同意，均未公布。</translation>
    </message>
    <message>
        <source>Designs voices from a description, clones and continues.</source>
        <translation>按描述设计声音、克隆、续说。</translation>
    </message>
    <message>
        <source>Chinese and English, as claimed by its makers; not measured here.</source>
        <translation>中文和英文，为开发者所称；此处未经测量。</translation>
    </message>
    <message>
        <source>The makers say more than 1.8 million hours of speech. Whose voices these are, where they come from and whether the speakers agreed is not published.</source>
        <translation>开发者称使用了超过 180 万小时的语音。这些是谁的声音、来自何处、说话人是否同意，均未公布。</translation>
    </message>
    <message>
        <source>Plain speech and continuing a prompt.</source>
        <translation>普通朗读和续说。</translation>
    </message>
    <message>
        <source>The makers say 1.8 million hours of speech. Whose voices these are, where they come from and whether the speakers agreed is not published.</source>
        <translation>开发者称使用了 180 万小时的语音。这些是谁的声音、来自何处、说话人是否同意，均未公布。</translation>
    </message>
    <message>
        <source>Plain speech and continuing a prompt; the smallest.</source>
        <translation>普通朗读和续说；体积最小。</translation>
    </message>
    <message>
        <source>Demo voice (English, for trying out)</source>
        <translation>演示声音（英语，供试用）</translation>
    </message>
    <message>
        <source>A very small model that comes with the program, to try it out: English only. It mispronounces words, and other voices are not followed well; load a published model for real work.</source>
        <translation>随程序附带的极小模型，供试用：仅支持英语，会读错词，对其他声音的模仿也不好；正式使用请载入已发布的模型。</translation>
    </message>
    <message>
        <source>Apache-2.0, like this program; sources and licences are listed in packaging/demo_voice.</source>
        <translation>Apache-2.0，与本程序相同；来源与许可见 packaging/demo_voice。</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>10 million weights, trained on 26 hours of computer-made speech of the flite voices awb, rms, slt, which were made from recordings of real people; the sentences are from WordNet.</source>
        <translation>一千万参数，用 26 小时由计算机合成的语音训练，来自 flite 的声音 awb、rms、slt（这些声音由真人录音制成）；句子取自 WordNet。</translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>the model does not know these characters and leaves them out: {characters}</source>
        <translation>模型不认识这些字符，会略过它们：{characters}</translation>
    </message>
    <message>
        <source>the context has room for {seconds:.1f} s of sound</source>
        <translation>上下文还能容纳 {seconds:.1f} 秒声音</translation>
    </message>
    <message>
        <source>the file is damaged; only the first {seconds:.1f} s can be read</source>
        <translation>文件已损坏，只能读出前 {seconds:.1f} 秒</translation>
    </message>
    <message>
        <source>the channels cancel each other out; the first one alone is used</source>
        <translation>各声道相互抵消，只使用第一个声道</translation>
    </message>
    <message>
        <source>the audio is {seconds:.1f} s long; {start:.2f} to {end:.2f} s of it is used, and a transcript must cover that part and no more</source>
        <translation>音频长 {seconds:.1f} 秒，只使用其中 {start:.2f} 到 {end:.2f} 秒；文字稿只能包含这一段</translation>
    </message>
    <message>
        <source>{seconds:.1f} s is short; {good:g} s or more carry a voice better</source>
        <translation>{seconds:.1f} 秒偏短，{good:g} 秒以上更能体现声音</translation>
    </message>
    <message>
        <source>silence at the ends is left out</source>
        <translation>已去掉首尾的静音</translation>
    </message>
    <message>
        <source>{count:.0f} broken samples (no number, or a lone spike) are bridged over</source>
        <translation>{count:.0f} 个损坏的采样点（不是数值，或孤立的尖峰）已补上</translation>
    </message>
    <message>
        <source>a constant offset of {offset:.2f} of full scale is removed</source>
        <translation>已去掉相当于满幅 {offset:.2f} 的直流偏移</translation>
    </message>
    <message>
        <source>the peak is {peak:.2f} times full scale; the level is lowered</source>
        <translation>峰值是满幅的 {peak:.2f} 倍，已降低音量</translation>
    </message>
    <message>
        <source>the recording is overdriven (clipped); the voice will sound better from a clean one</source>
        <translation>录音过载（削波），换一段干净的录音声音会更好</translation>
    </message>
    <message>
        <source>the recording is very quiet; noise will be heard along with the voice</source>
        <translation>录音音量很低，噪声会和人声一起被听到</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考音频</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示音频</translation>
    </message>
    <message>
        <source>{part}: {note}</source>
        <translation>{part}：{note}</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Use 16 bits</source>
        <translation>使用 16 位</translation>
    </message>
    <message>
        <source>Load the model again in half the memory</source>
        <translation>以一半的内存重新加载模型</translation>
    </message>
    <message>
        <source>Use the processor</source>
        <translation>使用处理器</translation>
    </message>
    <message>
        <source>Load the model again without the graphics card</source>
        <translation>不使用显卡，重新加载模型</translation>
    </message>
    <message>
        <source>Allow them</source>
        <translation>允许读取</translation>
    </message>
    <message>
        <source>Read these very files from now on</source>
        <translation>从现在起读取这些文件（内容不变时）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Show the technical details</source>
        <translation>显示技术细节</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭此提示</translation>
    </message>
    <message>
        <source>Technical details</source>
        <translation>技术细节</translation>
    </message>
</context>
<context>
    <name>OpenDub</name>
    <message>
        <source>A project cannot hold that.</source>
        <translation>项目无法保存这个内容。</translation>
    </message>
</context>
<context>
    <name>OutgoingControl</name>
    <message>
        <source>There is no sound file on the clipboard. Copy one in your file manager.</source>
        <translation>剪贴板上没有声音文件。请在文件管理器中复制一个。</translation>
    </message>
    <message>
        <source>Copied as a file that is marked as generated: {name}</source>
        <translation>已复制为带有生成标记的文件：{name}</translation>
    </message>
    <message>
        <source>The take could not be made into a file for another program.</source>
        <translation>无法为其他程序生成该版本的文件。</translation>
    </message>
</context>
<context>
    <name>PassphraseDialog</name>
    <message>
        <source>This is not the passphrase that was chosen. Try again.</source>
        <translation>口令不对，请再试一次。</translation>
    </message>
    <message>
        <source>Saved voices</source>
        <translation>已保存的声音</translation>
    </message>
    <message>
        <source>The saved voices are locked. Enter the passphrase that was chosen for them.</source>
        <translation>已保存的声音已锁定。请输入当初设定的口令。</translation>
    </message>
    <message>
        <source>This computer has no keyring that could hold the key of your saved voices. Choose a passphrase: without it nobody can read them, and nobody can bring it back. Or keep them only until the program ends: then they cannot be read any more.</source>
        <translation>这台电脑没有可以保管密钥的密钥环。请设定口令：没有口令谁也读不出声音，口令也无法找回。或者只保留到程序结束：之后就再也读不出来。</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>口令</translation>
    </message>
    <message>
        <source>Once more</source>
        <translation>再输一次</translation>
    </message>
    <message>
        <source>At least 8 characters; a few words are best.</source>
        <translation>至少 8 个字符；用几个词最好。</translation>
    </message>
    <message>
        <source>The passphrase once more</source>
        <translation>再次输入口令</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>解锁</translation>
    </message>
    <message>
        <source>Use this passphrase</source>
        <translation>使用这个口令</translation>
    </message>
    <message>
        <source>Only until the program ends</source>
        <translation>只到程序结束</translation>
    </message>
    <message>
        <source>Keep the voices only until the program ends</source>
        <translation>声音只保留到程序结束</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save nothing</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>The passphrase needs at least 8 characters. Add some words.</source>
        <translation>口令至少要 8 个字符。请多写几个词。</translation>
    </message>
    <message>
        <source>The two are not the same.</source>
        <translation>两次输入不一致。</translation>
    </message>
</context>
<context>
    <name>PlanStrip</name>
    <message>
        <source>What the model gets</source>
        <translation>模型收到的内容</translation>
    </message>
    <message>
        <source>Write a text: it appears here as the model will get it.</source>
        <translation>写下文本：这里会显示模型收到的样子。</translation>
    </message>
    <message>
        <source>Joined by one space: …{tail}{mark}{head}…</source>
        <translation>以一个空格连接：…{tail}{mark}{head}…</translation>
    </message>
    <message>
        <source>Joined without a space: …{tail}{mark}{head}…</source>
        <translation>连接处无空格：…{tail}{mark}{head}…</translation>
    </message>
    <message>
        <source>{length} of reference</source>
        <translation>参考音频 {length}</translation>
    </message>
    <message>
        <source>{length} of prompt</source>
        <translation>提示音频 {length}</translation>
    </message>
    <message>
        <source>about {length} of sound</source>
        <translation>约 {length} 的声音</translation>
    </message>
    <message>
        <source>done in about {wait} here</source>
        <translation>在本机约需 {wait}</translation>
    </message>
    <message>
        <source>Slower than real time here: a second of sound takes {factor:.1f} s, so playing waits.</source>
        <translation>在本机上慢于实时：一秒声音需要 {factor:.1f} 秒，播放会等待。</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Descriptions to begin with, and those that you kept</source>
        <translation>可供起步的描述，以及您保留的描述</translation>
    </message>
    <message>
        <source>Keep this description</source>
        <translation>保留这段描述</translation>
    </message>
    <message>
        <source>Forget this description</source>
        <translation>忘掉这段描述</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>a woman in her forties, warm, slow</source>
        <translation>四十多岁的女性，温暖，语速慢</translation>
    </message>
    <message>
        <source>a young man, lively, fast</source>
        <translation>年轻男性，活泼，语速快</translation>
    </message>
    <message>
        <source>an old man, deep, calm</source>
        <translation>老年男性，低沉，平静</translation>
    </message>
    <message>
        <source>a girl, bright, curious</source>
        <translation>小女孩，明亮，好奇</translation>
    </message>
    <message>
        <source>a news reader, clear, neutral</source>
        <translation>新闻播音员，清晰，中性</translation>
    </message>
    <message>
        <source>a storyteller, soft, close to the microphone</source>
        <translation>讲故事的人，轻柔，贴近话筒</translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Show the technical details</source>
        <translation>显示技术细节</translation>
    </message>
</context>
<context>
    <name>Quality</name>
    <message>
        <source>missing: {words}</source>
        <translation>缺少：{words}</translation>
    </message>
    <message>
        <source>repeated: {words}</source>
        <translation>重复：{words}</translation>
    </message>
    <message>
        <source>added: {words}</source>
        <translation>多出：{words}</translation>
    </message>
    <message>
        <source>other words for: {words}</source>
        <translation>读成了别的词：{words}</translation>
    </message>
    <message>
        <source>clipped in {count} places</source>
        <translation>有 {count} 处削波</translation>
    </message>
    <message>
        <source>nothing is heard</source>
        <translation>听不到声音</translation>
    </message>
    <message>
        <source>a pause of {seconds}</source>
        <translation>停顿 {seconds}</translation>
    </message>
    <message>
        <source>{seconds} of silence before it begins</source>
        <translation>开头有 {seconds} 静音</translation>
    </message>
    <message>
        <source>{seconds} of silence at the end</source>
        <translation>结尾有 {seconds} 静音</translation>
    </message>
    <message>
        <source>very slow: {rate} letters a second</source>
        <translation>很慢：每秒 {rate} 个字母</translation>
    </message>
    <message>
        <source>very fast: {rate} letters a second</source>
        <translation>很快：每秒 {rate} 个字母</translation>
    </message>
    <message>
        <source>very quiet: {level} LUFS</source>
        <translation>很轻：{level} LUFS</translation>
    </message>
    <message>
        <source>very loud: {level} LUFS</source>
        <translation>很响：{level} LUFS</translation>
    </message>
    <message>
        <source>another voice than the reference: {likeness}</source>
        <translation>与参考音频不是同一个声音：{likeness}</translation>
    </message>
    <message>
        <source>something is heard before the text</source>
        <translation>文本之前听到别的声音</translation>
    </message>
    <message>
        <source>something is heard after the text</source>
        <translation>文本之后听到别的声音</translation>
    </message>
    <message>
        <source>(the end of the reference)</source>
        <translation>（参考音频的结尾）</translation>
    </message>
    <message>
        <source>no speech recogniser is installed (the evaluate extra)</source>
        <translation>没有安装语音识别（evaluate 附加组件）</translation>
    </message>
    <message>
        <source>choose the folder of a Whisper model for this language in the settings</source>
        <translation>请在设置中选择适合该语言的 Whisper 模型文件夹</translation>
    </message>
    <message>
        <source>the chosen Whisper model does not serve for this language</source>
        <translation>所选的 Whisper 模型不适用于该语言</translation>
    </message>
    <message>
        <source>nothing that compares voices is installed (Resemblyzer)</source>
        <translation>没有安装声音比对程序（Resemblyzer）</translation>
    </message>
    <message>
        <source>what compares voices cannot be loaded</source>
        <translation>无法加载声音比对程序</translation>
    </message>
    <message>
        <source>{rate} letters/s · {level} LUFS · {share} % pauses, the longest {pause}</source>
        <translation>{rate} 字母/秒 · {level} LUFS · 停顿 {share} %，最长 {pause}</translation>
    </message>
    <message>
        <source>best of {count}</source>
        <translation>{count} 个中最好</translation>
    </message>
    <message>
        <source>{count} problems</source>
        <translation>{count} 个问题</translation>
    </message>
</context>
<context>
    <name>Question</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>A voice from a description</source>
        <translation>由描述得到声音</translation>
    </message>
    <message>
        <source>The voice of a reference</source>
        <translation>参考音频的声音</translation>
    </message>
    <message>
        <source>Go on from a recording</source>
        <translation>从一段录音接着说</translation>
    </message>
    <message>
        <source>Subtitles or a script, spoken and mixed</source>
        <translation>把字幕或剧本读出来并混音</translation>
    </message>
    <message>
        <source>The saved voices and their consent</source>
        <translation>已保存的声音及其同意</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>Clone</source>
        <translation>克隆</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>续写</translation>
    </message>
    <message>
        <source>Dub</source>
        <translation>配音</translation>
    </message>
    <message>
        <source>Voices</source>
        <translation>声音</translation>
    </message>
</context>
<context>
    <name>RecordRow</name>
    <message>
        <source>That was too short to be of use. Record again.</source>
        <translation>太短，无法使用。请重新录制。</translation>
    </message>
    <message>
        <source>The speakers do not take the rate of the microphone, so it cannot be heard along.</source>
        <translation>扬声器不支持麦克风的采样率，无法同时监听。</translation>
    </message>
    <message>
        <source>There is nothing that plays, so the microphone cannot be heard along.</source>
        <translation>没有播放设备，无法同时监听麦克风。</translation>
    </message>
    <message>
        <source>The system&apos;s microphone</source>
        <translation>系统默认麦克风</translation>
    </message>
    <message>
        <source>It begins in {count}…</source>
        <translation>{count} 秒后开始…</translation>
    </message>
    <message>
        <source>Recording: speak now</source>
        <translation>正在录音：请说话</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>录音</translation>
    </message>
    <message>
        <source>Begin to record</source>
        <translation>开始录音</translation>
    </message>
    <message>
        <source>Begin to record, after the count if it is on.</source>
        <translation>开始录音；若已打开倒数，则在倒数之后开始。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop recording</source>
        <translation>停止录音</translation>
    </message>
    <message>
        <source>Stop recording and use what was said.</source>
        <translation>停止录音并使用录下的内容。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Record nothing</source>
        <translation>不录音</translation>
    </message>
    <message>
        <source>Let go of the microphone and keep nothing.</source>
        <translation>释放麦克风，不保留任何内容。</translation>
    </message>
    <message>
        <source>Count to three first</source>
        <translation>先倒数三秒</translation>
    </message>
    <message>
        <source>Count to three before recording</source>
        <translation>录音前倒数三秒</translation>
    </message>
    <message>
        <source>Hear myself</source>
        <translation>监听自己</translation>
    </message>
    <message>
        <source>Hear the microphone while recording</source>
        <translation>录音时监听麦克风</translation>
    </message>
    <message>
        <source>Only with headphones: loudspeakers would be recorded too.</source>
        <translation>请仅在佩戴耳机时使用：扬声器的声音也会被录进去。</translation>
    </message>
    <message>
        <source>Which microphone</source>
        <translation>选择麦克风</translation>
    </message>
</context>
<context>
    <name>Remarks</name>
    <message>
        <source>What stands before the first cue was left out.</source>
        <translation>第一条台词之前的内容已略去。</translation>
    </message>
    <message>
        <source>This cannot be read as a time: {text}</source>
        <translation>无法读作时间：{text}</translation>
    </message>
    <message>
        <source>A block was left out: {kind}.</source>
        <translation>一个区块已略去：{kind}。</translation>
    </message>
    <message>
        <source>No column is called text.</source>
        <translation>没有名为 text 的列。</translation>
    </message>
    <message>
        <source>A comment was left out.</source>
        <translation>一条注释已略去。</translation>
    </message>
    <message>
        <source>Control characters were replaced by spaces.</source>
        <translation>控制字符已替换为空格。</translation>
    </message>
    <message>
        <source>A drawing was left out.</source>
        <translation>一个绘图已略去。</translation>
    </message>
    <message>
        <source>The cue is empty and was left out.</source>
        <translation>台词为空，已略去。</translation>
    </message>
    <message>
        <source>It ends before it starts; it was given {seconds:.1f} s.</source>
        <translation>结束早于开始；已改为 {seconds:.1f} 秒。</translation>
    </message>
    <message>
        <source>It is not UTF-8 and was read as {encoding}; look at the letters.</source>
        <translation>不是 UTF-8，已按 {encoding} 读取；请检查文字。</translation>
    </message>
    <message>
        <source>It is called like {name} and was read as {form}.</source>
        <translation>文件名像 {name}，已按 {form} 读取。</translation>
    </message>
    <message>
        <source>The name was cut to {count} characters.</source>
        <translation>名字已截断为 {count} 个字符。</translation>
    </message>
    <message>
        <source>It has no end; it was given {seconds:.1f} s.</source>
        <translation>没有结束时间；已设为 {seconds:.1f} 秒。</translation>
    </message>
    <message>
        <source>It overlaps the next cue by {seconds:.2f} s.</source>
        <translation>与下一条台词重叠 {seconds:.2f} 秒。</translation>
    </message>
    <message>
        <source>The text was cut to {count} characters.</source>
        <translation>文本已截断为 {count} 个字符。</translation>
    </message>
    <message>
        <source>Text behind an empty line was joined to the cue before.</source>
        <translation>空行后的文本已并入上一条台词。</translation>
    </message>
    <message>
        <source>A line without a name was joined to the line before.</source>
        <translation>没有名字的一行已并入上一行。</translation>
    </message>
    <message>
        <source>A line without a name is spoken by nobody in particular.</source>
        <translation>没有名字的一行不属于任何角色。</translation>
    </message>
    <message>
        <source>It has no start and was put behind the cue before.</source>
        <translation>没有开始时间，已放在上一条之后。</translation>
    </message>
    <message>
        <source>The cue has no letter or digit and was left out.</source>
        <translation>台词中没有文字或数字，已略去。</translation>
    </message>
    <message>
        <source>It starts before the cue above and was put in its place in time.</source>
        <translation>它早于上一条开始，已按时间排序。</translation>
    </message>
    <message>
        <source>Formatting was taken out.</source>
        <translation>格式已去除。</translation>
    </message>
    <message>
        <source>It cannot be read and was left out.</source>
        <translation>无法读取，已略去。</translation>
    </message>
</context>
<context>
    <name>Remedies</name>
    <message>
        <source>These files are read from now on: {names}.</source>
        <translation>从现在起会读取这些文件：{names}。</translation>
    </message>
</context>
<context>
    <name>RenewConsentDialog</name>
    <message>
        <source>Renew a consent</source>
        <translation>续签同意书</translation>
    </message>
    <message>
        <source>The consent for {name}</source>
        <translation>{name} 的同意书</translation>
    </message>
    <message>
        <source>It ends on {date}.</source>
        <translation>有效期至 {date}。</translation>
    </message>
    <message>
        <source>It has no end.</source>
        <translation>没有到期日。</translation>
    </message>
    <message>
        <source>The person agreed anew</source>
        <translation>本人重新同意</translation>
    </message>
    <message>
        <source>A new statement with new words; it may allow more than before</source>
        <translation>新的声明和新的口令；可以允许比以前更多</translation>
    </message>
    <message>
        <source>It lasts longer</source>
        <translation>延长有效期</translation>
    </message>
    <message>
        <source>The same consent with a later end</source>
        <translation>同一份同意书，到期日推后</translation>
    </message>
    <message>
        <source>Months</source>
        <translation>月数</translation>
    </message>
    <message>
        <source>How many months</source>
        <translation>几个月</translation>
    </message>
    <message>
        <source>without an end</source>
        <translation>没有到期日</translation>
    </message>
    <message>
        <source>The consent has no end, but can be withdrawn</source>
        <translation>同意书没有到期日，但可以撤回</translation>
    </message>
    <message>
        <source>It allows</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Proof, if there is one</source>
        <translation>证明（如有）</translation>
    </message>
    <message>
        <source>Add a document…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add a document as proof</source>
        <translation>添加文件作为证明</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Write the new version into the record</source>
        <translation>把新版本写入记录</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change nothing</source>
        <translation>不做更改</translation>
    </message>
    <message>
        <source>Add a document</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>It then ends on {date}.</source>
        <translation>届时有效期至 {date}。</translation>
    </message>
    <message>
        <source>It may last until {date} at most. For longer the person has to agree anew.</source>
        <translation>最长只能到 {date}。要更久，须由本人重新同意。</translation>
    </message>
    <message>
        <source>A new statement with four new words is drawn, and evidence of before no longer counts: the level is L0, or L1 with a document, until the statement is spoken.</source>
        <translation>将生成含四个新口令的新声明，以前的证据不再有效：在朗读声明之前，级别为 L0；附有文件时为 L1。</translation>
    </message>
</context>
<context>
    <name>SaveVoiceDialog</name>
    <message>
        <source>Give the voice a name.</source>
        <translation>请给声音起个名字。</translation>
    </message>
    <message>
        <source>Say whose voice this is.</source>
        <translation>请说明这是谁的声音。</translation>
    </message>
    <message>
        <source>Say who agreed to the use of this voice.</source>
        <translation>请说明是谁同意使用这个声音。</translation>
    </message>
    <message>
        <source>Say how this person can be reached.</source>
        <translation>请写明如何联系此人。</translation>
    </message>
    <message>
        <source>Say who speaks for the minor.</source>
        <translation>请写明由谁代表未成年人。</translation>
    </message>
    <message>
        <source>Save a voice</source>
        <translation>保存声音</translation>
    </message>
    <message>
        <source>Name of the voice</source>
        <translation>声音的名字</translation>
    </message>
    <message>
        <source>Tags, with commas between</source>
        <translation>标签，用逗号分开</translation>
    </message>
    <message>
        <source>Name of the person</source>
        <translation>此人的姓名</translation>
    </message>
    <message>
        <source>How they can be reached</source>
        <translation>联系方式</translation>
    </message>
    <message>
        <source>Who will use the voice</source>
        <translation>谁使用这个声音</translation>
    </message>
    <message>
        <source>Holds for (months)</source>
        <translation>有效期（月）</translation>
    </message>
    <message>
        <source>The recording stays</source>
        <translation>录音保留</translation>
    </message>
    <message>
        <source>Proof, if there is one</source>
        <translation>证明（如果有）</translation>
    </message>
    <message>
        <source>This is my own voice</source>
        <translation>这是我自己的声音</translation>
    </message>
    <message>
        <source>Another person agreed</source>
        <translation>另一个人同意了</translation>
    </message>
    <message>
        <source>me</source>
        <translation>我</translation>
    </message>
    <message>
        <source>under age, represented by</source>
        <translation>未成年，代表人</translation>
    </message>
    <message>
        <source>The person is under age</source>
        <translation>此人未成年</translation>
    </message>
    <message>
        <source>Who speaks for the minor</source>
        <translation>由谁代表未成年人</translation>
    </message>
    <message>
        <source>may earn money</source>
        <translation>可用于盈利</translation>
    </message>
    <message>
        <source>may train a model</source>
        <translation>可训练模型</translation>
    </message>
    <message>
        <source>may be passed on</source>
        <translation>可转交他人</translation>
    </message>
    <message>
        <source>may speak sensitive text</source>
        <translation>可朗读敏感内容</translation>
    </message>
    <message>
        <source>Add a document…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>No person is behind this voice: it was designed. The record says how.</source>
        <translation>这个声音背后没有真人，是设计出来的。记录会写明经过。</translation>
    </message>
    <message>
        <source>The record is your word, signed on this computer. It shows later that nothing was changed; it does not prove who is heard. It can be withdrawn at any time.</source>
        <translation>记录是您的陈述，在本机签名。它以后能证明没有改动，不能证明听到的是谁。随时可以撤回。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save the voice</source>
        <translation>保存这个声音</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save nothing</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Add a document</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>as long as the consent holds</source>
        <translation>到同意书失效</translation>
    </message>
    <message>
        <source>for 30 days</source>
        <translation>30 天</translation>
    </message>
    <message>
        <source>for 7 days</source>
        <translation>7 天</translation>
    </message>
    <message>
        <source>for 24 hours</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>until the program ends</source>
        <translation>到程序结束</translation>
    </message>
    <message>
        <source>Then the recording is deleted by itself; the record and the takes stay.</source>
        <translation>届时录音会自动删除；记录和条目保留。</translation>
    </message>
    <message>
        <source>a parent</source>
        <translation>父母</translation>
    </message>
    <message>
        <source>a guardian</source>
        <translation>监护人</translation>
    </message>
    <message>
        <source>the estate</source>
        <translation>遗产代理人</translation>
    </message>
    <message>
        <source>an agent</source>
        <translation>代理人</translation>
    </message>
    <message>
        <source>In what role</source>
        <translation>以什么身份</translation>
    </message>
</context>
<context>
    <name>ScopeTicks</name>
    <message>
        <source>may earn money</source>
        <translation>可用于盈利</translation>
    </message>
    <message>
        <source>may train a model</source>
        <translation>可用于训练模型</translation>
    </message>
    <message>
        <source>may be passed on</source>
        <translation>可以转交他人</translation>
    </message>
    <message>
        <source>may speak sensitive text</source>
        <translation>可以朗读敏感文本</translation>
    </message>
</context>
<context>
    <name>SeedField</name>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed and settings make the same take again (0 to 4294967295).</source>
        <translation>相同的种子和设置会生成相同的版本（0 到 4294967295）。</translation>
    </message>
    <message>
        <source>Draw a new seed</source>
        <translation>换一个新种子</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Lock the seed</source>
        <translation>锁定种子</translation>
    </message>
    <message>
        <source>Keep this seed for the next takes instead of drawing a new one.</source>
        <translation>之后的版本沿用这个种子，不再更换。</translation>
    </message>
</context>
<context>
    <name>SensitiveListsDialog</name>
    <message>
        <source>Sensitive text</source>
        <translation>敏感文本</translation>
    </message>
    <message>
        <source>Before text with these words is spoken, you are asked why. Write one phrase a line under a category: {categories}. “*” stands for any ending, “&lt;n&gt;” for a number, “|” for or, “&amp;” for both in one sentence. “!” passes a phrase over, “-” takes a line of the studio&apos;s own lists away.</source>
        <translation>朗读含有这些词语的文本之前，会询问您理由。在类别下每行写一个短语：{categories}。“*”代表任意词尾，“&lt;n&gt;”代表数字，“|”表示或，“&amp;”表示同一句中都出现。“!”表示忽略某个短语，“-”表示去掉内置列表中的一行。</translation>
    </message>
    <message>
        <source>My own lines</source>
        <translation>我自己的词条</translation>
    </message>
    <message>
        <source>English (built in)</source>
        <translation>英文（内置）</translation>
    </message>
    <message>
        <source>Chinese (built in)</source>
        <translation>中文（内置）</translation>
    </message>
    <message>
        <source>Try a text</source>
        <translation>试一段文本</translation>
    </message>
    <message>
        <source>See what is found in it with the lines above</source>
        <translation>看看用上面的词条能找到什么</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save my own lines</source>
        <translation>保存我自己的词条</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change nothing</source>
        <translation>不做更改</translation>
    </message>
    <message>
        <source>Your own lines cannot be read: {reason}</source>
        <translation>无法读取您自己的词条：{reason}</translation>
    </message>
    <message>
        <source>Line {number} cannot be understood.</source>
        <translation>第 {number} 行无法理解。</translation>
    </message>
    <message>
        <source>Nothing is found: this text is spoken without a question.</source>
        <translation>没有找到：这段文本会直接朗读。</translation>
    </message>
    <message>
        <source>Your own lines could not be saved: {reason}</source>
        <translation>无法保存您自己的词条：{reason}</translation>
    </message>
</context>
<context>
    <name>SensitiveText</name>
    <message>
        <source>Payments</source>
        <translation>付款</translation>
    </message>
    <message>
        <source>One-time codes</source>
        <translation>一次性验证码</translation>
    </message>
    <message>
        <source>Passwords or identity data</source>
        <translation>密码或身份信息</translation>
    </message>
    <message>
        <source>Financial notices</source>
        <translation>金融通知</translation>
    </message>
    <message>
        <source>Medical matters</source>
        <translation>医疗</translation>
    </message>
    <message>
        <source>Legal matters</source>
        <translation>法律</translation>
    </message>
    <message>
        <source>Elections</source>
        <translation>选举</translation>
    </message>
    <message>
        <source>News</source>
        <translation>新闻</translation>
    </message>
    <message>
        <source>Announcements of authorities or emergencies</source>
        <translation>政府公告或紧急通知</translation>
    </message>
    <message>
        <source>Public figures</source>
        <translation>公众人物</translation>
    </message>
</context>
<context>
    <name>SensitiveTextDialog</name>
    <message>
        <source>Before this is spoken</source>
        <translation>朗读之前</translation>
    </message>
    <message>
        <source>May this text be spoken?</source>
        <translation>这段文本可以朗读吗？</translation>
    </message>
    <message>
        <source>Said in a voice, such words can deceive people. If you have a good reason, go on; you are asked once.</source>
        <translation>用人声说出这样的话可能会骗到人。如果您有正当理由，请继续；同一文本只问一次。</translation>
    </message>
    <message>
        <source>Why it may be spoken</source>
        <translation>为什么可以朗读</translation>
    </message>
    <message>
        <source>It is fiction: film, game, book or play</source>
        <translation>这是虚构作品：电影、游戏、书籍或戏剧</translation>
    </message>
    <message>
        <source>It is about myself or my own organisation</source>
        <translation>这是关于我自己或我所在的机构</translation>
    </message>
    <message>
        <source>It is for teaching or for a test</source>
        <translation>用于教学或测试</translation>
    </message>
    <message>
        <source>choose, or write a reason of your own</source>
        <translation>请选择，或写下您自己的理由</translation>
    </message>
    <message>
        <source>The reason is kept encrypted on this computer. The audit log gets its hash and the kind of text, never the text.</source>
        <translation>理由加密保存在本机。审计日志只记录其哈希值和文本的类别，绝不记录文本本身。</translation>
    </message>
    <message>
        <source>Speak it</source>
        <translation>朗读</translation>
    </message>
    <message>
        <source>Speak the text</source>
        <translation>朗读这段文本</translation>
    </message>
    <message>
        <source>Write the decision down and make the takes</source>
        <translation>记下这个决定并生成录音</translation>
    </message>
    <message>
        <source>Back to the text</source>
        <translation>返回文本</translation>
    </message>
    <message>
        <source>Make nothing and change the text</source>
        <translation>不生成，修改文本</translation>
    </message>
    <message>
        <source>Say why it may be spoken.</source>
        <translation>请说明为什么可以朗读。</translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose a folder: {name}</source>
        <translation>选择文件夹：{name}</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Of all texts in the window.</source>
        <translation>窗口中所有文字的语言。</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>简体中文</source>
        <translation>简体中文</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Light or dark colours.</source>
        <translation>浅色或深色。</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Size of everything</source>
        <translation>整体大小</translation>
    </message>
    <message>
        <source>In percent, on top of what the desktop says.</source>
        <translation>百分比，在桌面缩放的基础上。</translation>
    </message>
    <message>
        <source>Load the model at the start</source>
        <translation>启动时载入模型</translation>
    </message>
    <message>
        <source>Takes memory at once, and makes the first take sooner.</source>
        <translation>立即占用内存，但第一个版本会更快。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Folder of the model; empty for the one that ships.</source>
        <translation>模型所在的文件夹；留空则使用自带的模型。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>What the model runs on; a change loads it again.</source>
        <translation>模型运行所用的设备；更改后会重新载入。</translation>
    </message>
    <message>
        <source>Best there is</source>
        <translation>自动选择最佳</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>处理器（CPU）</translation>
    </message>
    <message>
        <source>NVIDIA graphics card</source>
        <translation>NVIDIA 显卡</translation>
    </message>
    <message>
        <source>Apple graphics chip</source>
        <translation>Apple 图形芯片</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>16 bits halve the memory, 8 bits (processor only) quarter it; a change loads the model again.</source>
        <translation>16 位使内存占用减半，8 位（仅限处理器）减至四分之一；更改后模型会重新载入。</translation>
    </message>
    <message>
        <source>As the model and the device like it</source>
        <translation>由模型和设备决定</translation>
    </message>
    <message>
        <source>32 bits (float32)</source>
        <translation>32 位（float32）</translation>
    </message>
    <message>
        <source>16 bits (bfloat16)</source>
        <translation>16 位（bfloat16）</translation>
    </message>
    <message>
        <source>16 bits (float16)</source>
        <translation>16 位（float16）</translation>
    </message>
    <message>
        <source>8 bits (int8)</source>
        <translation>8 位（int8）</translation>
    </message>
    <message>
        <source>The model works in</source>
        <translation>模型运行于</translation>
    </message>
    <message>
        <source>On its own it takes nothing along when it crashes or fills the memory, and the window stays smooth.</source>
        <translation>在独立进程中，即使崩溃或内存耗尽也不会影响其他部分，窗口也能保持流畅。</translation>
    </message>
    <message>
        <source>A process of its own</source>
        <translation>独立进程</translation>
    </message>
    <message>
        <source>The window&apos;s process</source>
        <translation>窗口所在进程</translation>
    </message>
    <message>
        <source>Downloads to</source>
        <translation>下载到</translation>
    </message>
    <message>
        <source>Folder for downloaded models; empty for your own data folder.</source>
        <translation>存放下载模型的文件夹；留空则使用您的数据文件夹。</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Address (https://…) of a mirror of the model hub; empty for the hub itself.</source>
        <translation>模型库镜像的地址（https://…）；留空则使用模型库本身。</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>离线</translation>
    </message>
    <message>
        <source>Never use the network: nothing is downloaded.</source>
        <translation>从不使用网络：不下载任何内容。</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>How many are made at once.</source>
        <translation>一次生成多少个版本。</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>How often a doubtful take is made anew with another seed; it stays in the list.</source>
        <translation>可疑的版本用另一个种子重新生成的次数；原来的仍保留在列表中。</translation>
    </message>
    <message>
        <source>Doubtful from</source>
        <translation>可疑界限</translation>
    </message>
    <message>
        <source>A take of so many patches for each token of its text is cut there and counts as doubtful.</source>
        <translation>按文本词元计，每个词元达到这么多块时，版本在该处被截断，并视为可疑。</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Solver steps per patch: more are slower and a little finer.</source>
        <translation>每块的求解步数：越多越慢，声音略细致。</translation>
    </message>
    <message>
        <source>Guidance and temperature as the model asks</source>
        <translation>引导和温度按模型的要求</translation>
    </message>
    <message>
        <source>Each model brings the values that suit it; other values count once this is off.</source>
        <translation>每个模型自带合适的值；关闭后其他值才生效。</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>引导强度</translation>
    </message>
    <message>
        <source>How closely the sound keeps to text and voice; 1 = not forced.</source>
        <translation>声音贴合文本和音色的程度；1 = 不加强。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>How strong the noise is that every patch starts from; less is steadier and less lively.</source>
        <translation>每块起始噪声的强度；越小越稳定，也越少生气。</translation>
    </message>
    <message>
        <source>Shortest length</source>
        <translation>最短长度</translation>
    </message>
    <message>
        <source>A take has at least two patches more: only from then on the model is asked whether it has said everything.</source>
        <translation>版本至少再多两块：从那时起才询问模型是否已说完。</translation>
    </message>
    <message>
        <source>Longest length</source>
        <translation>最长长度</translation>
    </message>
    <message>
        <source>A take is cut after this many patches.</source>
        <translation>超过这么多块后，版本会被截断。</translation>
    </message>
    <message>
        <source>Normalise the text</source>
        <translation>文本规范化</translation>
    </message>
    <message>
        <source>Write numbers, dates and units out as words.</source>
        <translation>把数字、日期和单位写成文字。</translation>
    </message>
    <message>
        <source>Sound device</source>
        <translation>声音设备</translation>
    </message>
    <message>
        <source>What plays the takes; known by its name, whichever number it has today.</source>
        <translation>用来播放各版本的设备；按名称记住，与当前编号无关。</translation>
    </message>
    <message>
        <source>The system&apos;s choice</source>
        <translation>系统默认</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>What recordings are made with; known by its name as well.</source>
        <translation>用来录音的设备；同样按名称记住。</translation>
    </message>
    <message>
        <source>Play while it is made</source>
        <translation>边生成边播放</translation>
    </message>
    <message>
        <source>A first take is heard as soon as there is sound.</source>
        <translation>第一个版本一有声音就开始播放。</translation>
    </message>
    <message>
        <source>Judge every take</source>
        <translation>评估每个版本</translation>
    </message>
    <message>
        <source>Words, pauses, clipping and leaks are measured when the model has nothing to do; never sent anywhere.</source>
        <translation>模型空闲时检查用词、停顿、削波和串音；绝不发送到任何地方。</translation>
    </message>
    <message>
        <source>Speech recogniser</source>
        <translation>语音识别</translation>
    </message>
    <message>
        <source>Folder of a Whisper model in CTranslate2 format; empty for the packaged English one, if it is installed.</source>
        <translation>CTranslate2 格式的 Whisper 模型文件夹；留空则使用已安装的英文模型（如有）。</translation>
    </message>
    <message>
        <source>Open from</source>
        <translation>打开位置</translation>
    </message>
    <message>
        <source>Folder in which opening a file begins.</source>
        <translation>打开文件时最先显示的文件夹。</translation>
    </message>
    <message>
        <source>Save to</source>
        <translation>保存位置</translation>
    </message>
    <message>
        <source>Folder in which saving a file begins.</source>
        <translation>保存文件时最先显示的文件夹。</translation>
    </message>
    <message>
        <source>Notice that can be heard</source>
        <translation>可听见的提示</translation>
    </message>
    <message>
        <source>A short rhythm tells whoever hears a saved file that a machine made it.</source>
        <translation>用一段短促的节奏告诉听到保存文件的人：这是机器生成的。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>At the start</source>
        <translation>在开头</translation>
    </message>
    <message>
        <source>At the end</source>
        <translation>在结尾</translation>
    </message>
    <message>
        <source>At both ends</source>
        <translation>首尾都有</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Making</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Counts from the next start on.</source>
        <translation>下次启动后生效。</translation>
    </message>
    <message>
        <source>Set by the variable {name}.</source>
        <translation>由变量 {name} 设定。</translation>
    </message>
    <message>
        <source>All as at first</source>
        <translation>全部恢复默认</translation>
    </message>
    <message>
        <source>Put all settings back to their defaults</source>
        <translation>把所有设置恢复为默认值</translation>
    </message>
    <message>
        <source>Sensitive text…</source>
        <translation>敏感文本…</translation>
    </message>
    <message>
        <source>Sensitive text</source>
        <translation>敏感文本</translation>
    </message>
    <message>
        <source>See and change which words are asked about</source>
        <translation>查看和修改哪些词语需要询问</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>功能</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
</context>
<context>
    <name>SheetControl</name>
    <message>
        <source>Saved: {path}</source>
        <translation>已保存：{path}</translation>
    </message>
    <message>
        <source>Select two to four takes whose sound is there.</source>
        <translation>请选中两到四个有声音的版本。</translation>
    </message>
    <message>
        <source>Folder for the listening sheet</source>
        <translation>试听页的文件夹</translation>
    </message>
    <message>
        <source>Listening sheet</source>
        <translation>试听页</translation>
    </message>
    <message>
        <source>The sound was generated by a program, and is marked as such.</source>
        <translation>声音由程序生成，并已作标记。</translation>
    </message>
    <message>
        <source>The listening sheet could not be saved in {path}. Choose an empty folder.</source>
        <translation>无法把试听页保存到 {path}。请选择一个空文件夹。</translation>
    </message>
</context>
<context>
    <name>SoundField</name>
    <message>
        <source>This recording cannot be read to its end. Choose another file, or export it again.</source>
        <translation>这段录音无法完整读取。请选择其他文件，或重新导出。</translation>
    </message>
    <message>
        <source>The change is being made…</source>
        <translation>正在应用更改…</translation>
    </message>
    <message>
        <source>The best part is looked for…</source>
        <translation>正在寻找最佳部分…</translation>
    </message>
    <message>
        <source>The microphone went away. What was recorded until then is here.</source>
        <translation>麦克风已断开。断开前录下的内容在这里。</translation>
    </message>
    <message numerus="yes">
        <source>The machine was too busy: the recording has %n gap(s). Record again.</source>
        <translation>
            <numerusform>电脑太忙：录音有 %n 处缺失。请重新录制。</numerusform>
        </translation>
    </message>
    <message>
        <source>The recording could not be kept: {reason}</source>
        <translation>录音无法保存：{reason}</translation>
    </message>
    <message>
        <source>The change could not be saved. Free some space on the disk, then try again.</source>
        <translation>更改无法保存。请腾出一些磁盘空间，然后重试。</translation>
    </message>
</context>
<context>
    <name>SpectrogramView</name>
    <message>
        <source>strongest at {hertz} Hz with {level:.0f} dB</source>
        <translation>最强处 {hertz} Hz，{level:.0f} dB</translation>
    </message>
    <message>
        <source>Spectrogram</source>
        <translation>频谱图</translation>
    </message>
    <message>
        <source>Mel spectrogram: low tones below, brighter is louder; frequencies in hertz</source>
        <translation>梅尔频谱图：低音在下，越亮越响；频率单位为赫兹</translation>
    </message>
</context>
<context>
    <name>SpeedView</name>
    <message>
        <source>made in {milliseconds:.0f} ms, {times:.2f} of its length</source>
        <translation>用时 {milliseconds:.0f} 毫秒，为其时长的 {times:.2f} 倍</translation>
    </message>
    <message>
        <source>Time per patch</source>
        <translation>每块用时</translation>
    </message>
    <message>
        <source>Time that each patch took, as a multiple of its sound; above the dashed line it is too slow</source>
        <translation>每块的计算用时，以其声音时长的倍数表示；高于虚线则太慢</translation>
    </message>
</context>
<context>
    <name>SpokenStatement</name>
    <message>
        <source>The person whose voice it is says this aloud, with the four words at the end:</source>
        <translation>请声音的本人大声朗读以下内容，包括末尾的四个口令：</translation>
    </message>
    <message>
        <source>Record with the microphone</source>
        <translation>用麦克风录音</translation>
    </message>
    <message>
        <source>Record the statement with the microphone</source>
        <translation>用麦克风录下声明</translation>
    </message>
    <message>
        <source>Choose a recording…</source>
        <translation>选择录音…</translation>
    </message>
    <message>
        <source>Take a recording of the statement from a file</source>
        <translation>从文件中选取声明的录音</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Listen to the recording of the statement</source>
        <translation>试听声明的录音</translation>
    </message>
    <message>
        <source>Choose a recording of the statement</source>
        <translation>选择声明的录音</translation>
    </message>
    <message>
        <source>Sound (*.wav *.flac *.ogg *.opus *.mp3)</source>
        <translation>声音 (*.wav *.flac *.ogg *.opus *.mp3)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>There is no recording yet.</source>
        <translation>还没有录音。</translation>
    </message>
    <message>
        <source>Recording: the file {name}</source>
        <translation>录音：文件 {name}</translation>
    </message>
    <message>
        <source>Recorded live: {length}</source>
        <translation>现场录音：{length}</translation>
    </message>
    <message>
        <source>Sound was lost on the way; record it once more.</source>
        <translation>录音有缺失，请重录。</translation>
    </message>
</context>
<context>
    <name>SpokenStatementDialog</name>
    <message>
        <source>Spoken statement</source>
        <translation>朗读声明</translation>
    </message>
    <message>
        <source>A spoken statement for {name}</source>
        <translation>为 {name} 朗读声明</translation>
    </message>
    <message>
        <source>Language of the statement</source>
        <translation>声明的语言</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Check and keep</source>
        <translation>检查并保存</translation>
    </message>
    <message>
        <source>Check the recording and put it into the record</source>
        <translation>检查录音并写入记录</translation>
    </message>
    <message>
        <source>Keep it as evidence only (L1)</source>
        <translation>仅作为证据保存（L1）</translation>
    </message>
    <message>
        <source>Put the recording into the record although it was not recognised</source>
        <translation>虽未识别，仍把录音写入记录</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Now: {level}</source>
        <translation>当前：{level}</translation>
    </message>
    <message>
        <source>It is being checked. The first time this takes some seconds.</source>
        <translation>正在检查。第一次需要几秒钟。</translation>
    </message>
    <message>
        <source>Record the statement first, or choose a recording of it.</source>
        <translation>请先录下声明，或选择一段录音。</translation>
    </message>
    <message>
        <source>The recording is kept encrypted, until the studio ends.</source>
        <translation>录音加密保存到工作室关闭为止。</translation>
    </message>
    <message>
        <source>The recording is kept encrypted, for 24 hours from now.</source>
        <translation>录音从现在起加密保存 24 小时。</translation>
    </message>
    <message>
        <source>The recording is kept encrypted, for 7 days from now.</source>
        <translation>录音从现在起加密保存 7 天。</translation>
    </message>
    <message>
        <source>The recording is kept encrypted, for 30 days from now.</source>
        <translation>录音从现在起加密保存 30 天。</translation>
    </message>
    <message>
        <source>The recording is kept encrypted, for as long as the consent lasts.</source>
        <translation>录音加密保存到同意到期为止。</translation>
    </message>
    <message>
        <source>The record keeps what was heard and how alike the voices are. It does not prove who it is.</source>
        <translation>记录中保存听到的内容和两个声音的相似程度，并不证明说话的人是谁。</translation>
    </message>
    <message>
        <source>With this recording, if it passes: {level}</source>
        <translation>这段录音若通过：{level}</translation>
    </message>
</context>
<context>
    <name>StopView</name>
    <message>
        <source>stop {percent:.0f} %</source>
        <translation>停止 {percent:.0f} %</translation>
    </message>
    <message>
        <source>Stop probability</source>
        <translation>停止概率</translation>
    </message>
    <message>
        <source>Stop probability of each patch, 0 to 1; the dashed line is one half</source>
        <translation>每块的停止概率，0 到 1；虚线为一半</translation>
    </message>
</context>
<context>
    <name>StudioStatus</name>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Take {take} of {count} · getting ready · Esc stops</source>
        <translation>第 {take}/{count} 版 · 准备中 · 按 Esc 停止</translation>
    </message>
    <message>
        <source>Take {take} of {count} · {patches} of ~{expected} patches · Esc stops</source>
        <translation>第 {take}/{count} 版 · 第 {patches} 块，共约 {expected} 块 · 按 Esc 停止</translation>
    </message>
    <message>
        <source>Take {take} of {count} · {patches} patches · Esc stops</source>
        <translation>第 {take}/{count} 版 · {patches} 块 · 按 Esc 停止</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>Model, device and precision</source>
        <translation>模型、设备和精度</translation>
    </message>
    <message>
        <source>RTF {factor:.2f}</source>
        <translation>实时率 {factor:.2f}</translation>
    </message>
    <message>
        <source>Real-time factor of the last take: seconds of work per second of sound</source>
        <translation>上一个版本的实时率：每秒声音所需的计算秒数</translation>
    </message>
    <message>
        <source>Memory that the studio uses</source>
        <translation>软件占用的内存</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
</context>
<context>
    <name>TakeCard</name>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>is being measured…</source>
        <translation>正在评估…</translation>
    </message>
    <message>
        <source>no problems found</source>
        <translation>没有发现问题</translation>
    </message>
    <message>
        <source>{place} of {count}: {found}</source>
        <translation>第 {place} / {count}：{found}</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>测量值</translation>
    </message>
    <message>
        <source>Heard</source>
        <translation>听到的内容</translation>
    </message>
    <message>
        <source>Same voice</source>
        <translation>声音相似度</translation>
    </message>
    <message>
        <source>not available: {reason}</source>
        <translation>不可用：{reason}</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>{steps} steps · guidance {cfg:g} · temperature {temperature:g}</source>
        <translation>{steps} 步 · 引导 {cfg:g} · 温度 {temperature:g}</translation>
    </message>
    <message>
        <source>joined of {count} parts of other takes</source>
        <translation>由其他版本的 {count} 个部分拼接而成</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>End</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>RTF {factor:.2f}</source>
        <translation>实时率 {factor:.2f}</translation>
    </message>
    <message>
        <source>First sound</source>
        <translation>首个声音</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
</context>
<context>
    <name>TakeControl</name>
    <message>
        <source>Empty the bin</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>Delete all takes in the bin for good?</source>
        <translation>要永久删除回收站中的所有版本吗？</translation>
    </message>
    <message>
        <source>Also those that are not listed now. What you saved as files stays where it is.</source>
        <translation>包括当前未列出的版本。已保存为文件的内容不受影响。</translation>
    </message>
    <message>
        <source>Forget all takes</source>
        <translation>清除所有版本</translation>
    </message>
    <message>
        <source>Forget all takes?</source>
        <translation>要清除所有版本吗？</translation>
    </message>
    <message>
        <source>They are deleted for good, also those of earlier starts and those in the bin. What you saved as files stays where it is.</source>
        <translation>它们将被永久删除，包括以前启动时的版本和回收站中的版本。已保存为文件的内容不受影响。</translation>
    </message>
    <message>
        <source>Takes cannot be kept for the next start in {folder}. Save those that you need as files.</source>
        <translation>无法在 {folder} 中为下次启动保留版本。请把需要的版本保存为文件。</translation>
    </message>
    <message>
        <source>Takes made from a person&apos;s voice are encrypted, and here their key only lasts until the program ends. Save those that you need as files.</source>
        <translation>用他人声音制作的版本会加密，而此处的密钥只保留到程序结束。请将需要的版本保存为文件。</translation>
    </message>
    <message>
        <source>Takes of an earlier start cannot be read from {folder}.</source>
        <translation>无法从 {folder} 读取以前启动时的版本。</translation>
    </message>
    <message>
        <source>This could not be saved. The take is as it was before.</source>
        <translation>未能保存。版本保持原样。</translation>
    </message>
</context>
<context>
    <name>TakeDownControl</name>
    <message>
        <source>Complaints about voices that should be decided by now: {count}. Open them under Voices.</source>
        <translation>已到期、应当作出决定的声音投诉：{count} 件。请在“声音”中打开。</translation>
    </message>
    <message>
        <source>A complaint about a voice has to be decided within {hours} h. Open it under Voices.</source>
        <translation>有一件声音投诉须在 {hours} 小时内作出决定。请在“声音”中打开。</translation>
    </message>
    <message>
        <source>The complaint is closed.</source>
        <translation>投诉已结案。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the voice {name} for ever?</source>
        <translation>永久删除声音 {name}？</translation>
    </message>
    <message>
        <source>Its recordings and all takes made with it go too, and nothing brings them back. A signed note stays that holds no names.</source>
        <translation>它的录音和用它生成的所有条目也会一并删除，无法恢复。会留下一份不含姓名的签名说明。</translation>
    </message>
    <message>
        <source>Save the signed note</source>
        <translation>保存签名说明</translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation>导出审计日志</translation>
    </message>
    <message>
        <source>Exported: {path}</source>
        <translation>已导出：{path}</translation>
    </message>
    <message>
        <source>The saved voices are locked. Unlock them in the list of voices, then try again.</source>
        <translation>已保存的声音处于锁定状态。请在声音列表中解锁，然后重试。</translation>
    </message>
    <message>
        <source>This could not be done.</source>
        <translation>无法完成此操作。</translation>
    </message>
</context>
<context>
    <name>TakeDownDialog</name>
    <message>
        <source>Complaint</source>
        <translation>投诉</translation>
    </message>
    <message>
        <source>Complaint about {name}</source>
        <translation>关于 {name} 的投诉</translation>
    </message>
    <message>
        <source>A complaint freezes the voice at once: nothing can be made with it until the complaint is decided. What you write here is kept encrypted; the audit log gets its hash and an id.</source>
        <translation>投诉会立即冻结该声音：在作出决定之前，无法用它生成任何内容。您在此写下的文字会加密保存；审计日志只记录其哈希和一个标识符。</translation>
    </message>
    <message>
        <source>Who complains, how they can be reached, what they say</source>
        <translation>谁在投诉、如何联系、说了什么</translation>
    </message>
    <message>
        <source>What the complaint says</source>
        <translation>投诉内容</translation>
    </message>
    <message>
        <source>Decide within (hours)</source>
        <translation>决定期限（小时）</translation>
    </message>
    <message>
        <source>48 hours is the shortest term that we know of in a law. Ask which one holds for you.</source>
        <translation>48 小时是我们所知法律中最短的期限。请了解适用于您的期限。</translation>
    </message>
    <message>
        <source>Freeze the voice</source>
        <translation>冻结声音</translation>
    </message>
    <message>
        <source>Open the complaint and freeze the voice</source>
        <translation>立案并冻结该声音</translation>
    </message>
    <message>
        <source>Export the audit log…</source>
        <translation>导出审计日志…</translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation>导出审计日志</translation>
    </message>
    <message>
        <source>Write the signed log to a file, to preserve it</source>
        <translation>把签名的日志写入文件以便保全</translation>
    </message>
    <message>
        <source>Why the complaint does not hold</source>
        <translation>投诉不成立的理由</translation>
    </message>
    <message>
        <source>Release the voice</source>
        <translation>解除冻结</translation>
    </message>
    <message>
        <source>Close the complaint; the voice can be used again</source>
        <translation>结案；该声音可以再次使用</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>全部删除…</translation>
    </message>
    <message>
        <source>Delete everything</source>
        <translation>全部删除</translation>
    </message>
    <message>
        <source>Delete all that is listed as in the library</source>
        <translation>删除清单中所有在库内的内容</translation>
    </message>
    <message>
        <source>Save the signed note…</source>
        <translation>保存签名说明…</translation>
    </message>
    <message>
        <source>Save the signed note</source>
        <translation>保存签名说明</translation>
    </message>
    <message>
        <source>Write the proof of the deletion to a file</source>
        <translation>把删除证明写入文件</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>What there is</source>
        <translation>现有内容</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Everything derived from the voice</source>
        <translation>由该声音派生的一切</translation>
    </message>
    <message>
        <source>Decide by {when}: {hours} h are left. Complaint {id}</source>
        <translation>请在 {when} 之前决定：还剩 {hours} 小时。投诉 {id}</translation>
    </message>
    <message>
        <source>It had to be decided by {when}, {hours} h ago. Complaint {id}</source>
        <translation>本应在 {when} 之前决定，已超过 {hours} 小时。投诉 {id}</translation>
    </message>
    <message>
        <source>In the library: deleted with the voice</source>
        <translation>库内：随声音一同删除</translation>
    </message>
    <message>
        <source>Reference recording</source>
        <translation>参考录音</translation>
    </message>
    <message>
        <source>Prompt recording</source>
        <translation>提示录音</translation>
    </message>
    <message>
        <source>Spoken statement</source>
        <translation>口述声明</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Versions of the consent record</source>
        <translation>同意记录的版本</translation>
    </message>
    <message>
        <source>Encodings kept for models (latents)</source>
        <translation>为模型保存的编码（隐变量）</translation>
    </message>
    <message>
        <source>{count}, of these in the bin: {binned}</source>
        <translation>{count} 个，其中在回收站：{binned} 个</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Comparisons of these takes</source>
        <translation>这些条目的比较</translation>
    </message>
    <message>
        <source>{count}: frozen and deleted together with it</source>
        <translation>{count} 个：与它一起冻结和删除</translation>
    </message>
    <message>
        <source>Copies of the voice</source>
        <translation>这个声音的副本</translation>
    </message>
    <message>
        <source>Known to be outside: not reached by deleting</source>
        <translation>已知在外部：删除无法触及</translation>
    </message>
    <message>
        <source>And {count} more files</source>
        <translation>另有 {count} 个文件</translation>
    </message>
    <message>
        <source>LoRA of the voice</source>
        <translation>该声音的 LoRA</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Exported file</source>
        <translation>导出的文件</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>音频流</translation>
    </message>
    <message>
        <source>Exported voice</source>
        <translation>导出的声音</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Training (LoRA)</source>
        <translation>训练（LoRA）</translation>
    </message>
    <message>
        <source>Cache of training</source>
        <translation>训练缓存</translation>
    </message>
    <message>
        <source>place unknown: the voices are locked</source>
        <translation>位置未知：声音已锁定</translation>
    </message>
    <message>
        <source> (not there any more)</source>
        <translation>（已不在原处）</translation>
    </message>
    <message>
        <source>The voice is deleted with everything that was in the library, {count} takes among it, and its key is destroyed. A signed note with hashes and numbers only stays. Files that left before are out of reach: ask those who have them to delete them. A LoRA that names this voice&apos;s record is refused from now on.</source>
        <translation>该声音及其在库内的一切均已删除，其中有 {count} 个条目，密钥也已销毁。仅留下一份含哈希和数字的签名说明。之前已离开的文件无法触及：请持有者删除它们。写有该声音记录的 LoRA 从此会被拒绝。</translation>
    </message>
</context>
<context>
    <name>TakeListModel</name>
    <message>
        <source>restored</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>take {take} of {count}</source>
        <translation>第 {take}/{count} 版</translation>
    </message>
    <message>
        <source>#{number} take {take} of {count}</source>
        <translation>#{number} 第 {take}/{count} 版</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>种子 {seed}</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选中</translation>
    </message>
    <message>
        <source>doubtful</source>
        <translation>存疑</translation>
    </message>
    <message>
        <source>waiting…</source>
        <translation>等待中…</translation>
    </message>
    <message>
        <source>being made…</source>
        <translation>生成中…</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>broke off</source>
        <translation>已中断</translation>
    </message>
</context>
<context>
    <name>TakeMarksEdit</name>
    <message>
        <source>Stars</source>
        <translation>星级</translation>
    </message>
    <message>
        <source>How good this take is, 1 to 5 stars</source>
        <translation>这条版本的好坏，1 到 5 星</translation>
    </message>
    <message>
        <source>Favourite</source>
        <translation>收藏</translation>
    </message>
    <message>
        <source>Mark this take as a favourite</source>
        <translation>将这条版本标为收藏</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>What you want to remember of this take; the search finds it</source>
        <translation>想记住的内容；搜索可以找到它</translation>
    </message>
</context>
<context>
    <name>TakesPanel</name>
    <message>
        <source>Takes</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Copy settings</source>
        <translation>复制设置</translation>
    </message>
    <message>
        <source>Every take that you make is listed here, the newest first.</source>
        <translation>您生成的每个版本都列在这里，最新的在前。</translation>
    </message>
    <message>
        <source>Enter plays the chosen take; 1, 2, 3 pick a take of a group.</source>
        <translation>回车播放所选版本；1、2、3 选择同一组中的版本。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the takes</source>
        <translation>搜索版本</translation>
    </message>
    <message>
        <source>Words of the text or of your note</source>
        <translation>文本或备注中的词</translation>
    </message>
    <message>
        <source>Bin</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Show the takes in the bin</source>
        <translation>显示回收站中的版本</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save this take at its own sample rate, marked as generated (Ctrl+S)</source>
        <translation>按原采样率保存此版本，并标明为生成内容（Ctrl+S）</translation>
    </message>
    <message>
        <source>Use seed</source>
        <translation>使用种子</translation>
    </message>
    <message>
        <source>Use this seed</source>
        <translation>使用此种子</translation>
    </message>
    <message>
        <source>Put the seed of this take into the seed field and lock it</source>
        <translation>把此版本的种子填入种子栏并锁定</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再试一次</translation>
    </message>
    <message>
        <source>This take came out doubtful: make it once more with another seed, and keep this one</source>
        <translation>这一条结果可疑：换一个种子再生成一次，并保留这一条</translation>
    </message>
    <message>
        <source>Reproduce</source>
        <translation>重现</translation>
    </message>
    <message>
        <source>Make this take again, together with those that were made along, and compare every sample</source>
        <translation>连同当时一起制作的版本重新制作，并逐个采样比较</translation>
    </message>
    <message>
        <source>Render in full</source>
        <translation>完整生成</translation>
    </message>
    <message>
        <source>Make this draft once more with its seed and all steps; it may differ, and the draft stays</source>
        <translation>用同一种子和全部步数再生成一次；结果可能不同，草稿会保留</translation>
    </message>
    <message>
        <source>Put text, description, settings and seed of this take into the fields; the voice stays</source>
        <translation>把该版本的文本、描述、设置和种子填入各栏；音色不变</translation>
    </message>
    <message>
        <source>Keep this voice…</source>
        <translation>保留这个声音…</translation>
    </message>
    <message>
        <source>Keep this voice</source>
        <translation>保留这个声音</translation>
    </message>
    <message>
        <source>Save the designed voice of this take, to speak with it again</source>
        <translation>保存这个版本里设计的声音，以后还能用它说话</translation>
    </message>
    <message>
        <source>Empty the bin…</source>
        <translation>清空回收站…</translation>
    </message>
    <message>
        <source>Empty the bin</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>Delete what is in the bin for good</source>
        <translation>永久删除回收站中的内容</translation>
    </message>
    <message>
        <source>Put back</source>
        <translation>放回</translation>
    </message>
    <message>
        <source>Move to the bin</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Put this take back among the others</source>
        <translation>将这条版本放回列表</translation>
    </message>
    <message>
        <source>Move this take to the bin (Delete); Ctrl+Z takes that back</source>
        <translation>将这条版本移到回收站（Delete）；Ctrl+Z 撤销</translation>
    </message>
    <message>
        <source>No take has all these words in its text or note.</source>
        <translation>没有版本的文本或备注包含所有这些词。</translation>
    </message>
    <message>
        <source>The bin is empty.</source>
        <translation>回收站是空的。</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>A blind comparison: what is heard is shown once you have chosen.</source>
        <translation>正在盲听比较：选定之后才显示所听到的内容。</translation>
    </message>
    <message>
        <source>Nothing to hear yet. Write a text and press Generate: the sound appears here while it is made.</source>
        <translation>还没有声音。写下文本并按“生成”：声音会边生成边显示在这里。</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间轴</translation>
    </message>
    <message>
        <source>playhead</source>
        <translation>播放位置</translation>
    </message>
    <message>
        <source>cursor</source>
        <translation>光标</translation>
    </message>
</context>
<context>
    <name>TranscriptBox</name>
    <message>
        <source>Write down what is said in the prompt: the transcript is required.</source>
        <translation>请写下提示音频中说的话：文字稿必填。</translation>
    </message>
    <message>
        <source>Check that the transcript fits the new audio.</source>
        <translation>请检查文字稿是否与新的音频相符。</translation>
    </message>
    <message>
        <source>Read the draft of the transcript and confirm that it is exactly what is said.</source>
        <translation>请阅读文稿草稿，并确认与所说内容完全一致。</translation>
    </message>
    <message>
        <source>Transcript of the prompt (required)</source>
        <translation>提示音频的文字稿（必填）</translation>
    </message>
    <message>
        <source>Exactly what is said in the prompt, word for word</source>
        <translation>逐字写下提示音频中说的话</translation>
    </message>
    <message>
        <source>Transcript of the prompt</source>
        <translation>提示音频的文字稿</translation>
    </message>
    <message>
        <source>Exactly what is said in the prompt. Wrong words here come out as wrong sound.</source>
        <translation>提示音频中的原话。这里写错，生成的声音也会出错。</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Language of the prompt</source>
        <translation>提示音频的语言</translation>
    </message>
    <message>
        <source>Listening…</source>
        <translation>正在听写…</translation>
    </message>
    <message>
        <source>Write a draft</source>
        <translation>生成草稿</translation>
    </message>
    <message>
        <source>The speech recogniser writes down what it hears; you check it.</source>
        <translation>语音识别器写下听到的内容，由您核对。</translation>
    </message>
    <message>
        <source>Let the speech recogniser write a draft</source>
        <translation>让语音识别器生成草稿</translation>
    </message>
    <message>
        <source>The audio has changed: does the transcript still fit?</source>
        <translation>音频已更换：文字稿还相符吗？</translation>
    </message>
    <message>
        <source>This is a draft by the speech recogniser: correct it, then confirm it.</source>
        <translation>这是语音识别器的草稿：请改正后确认。</translation>
    </message>
    <message>
        <source>This is what is said</source>
        <translation>所说内容正是如此</translation>
    </message>
    <message>
        <source>It fits</source>
        <translation>相符</translation>
    </message>
    <message>
        <source>The draft is exactly what is said</source>
        <translation>草稿与所说内容完全一致</translation>
    </message>
    <message>
        <source>The transcript fits the new audio</source>
        <translation>文字稿与新的音频相符</translation>
    </message>
    <message>
        <source>Drop, open or record a prompt first.</source>
        <translation>请先拖入、打开或录制提示音频。</translation>
    </message>
    <message>
        <source>No draft: {reason}.</source>
        <translation>无法生成草稿：{reason}。</translation>
    </message>
    <message>
        <source>The recogniser heard no words. Write them down yourself.</source>
        <translation>识别器没有听到词语。请自行写下。</translation>
    </message>
</context>
<context>
    <name>Transport</name>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Play or pause (Space)</source>
        <translation>播放或暂停（空格）</translation>
    </message>
    <message>
        <source>Play while it is made</source>
        <translation>边生成边播放</translation>
    </message>
    <message>
        <source>The sound starts with the first patch.</source>
        <translation>从第一个块开始播放声音。</translation>
    </message>
    <message>
        <source>Stop playing</source>
        <translation>停止播放</translation>
    </message>
    <message>
        <source>Stop playing and go to the start</source>
        <translation>停止播放并回到开头</translation>
    </message>
    <message>
        <source>Loop the selection</source>
        <translation>循环所选部分</translation>
    </message>
    <message>
        <source>Play the selection again and again (L). Drag over the waveform to select.</source>
        <translation>反复播放所选部分（L）。在波形上拖动即可选择。</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Playing speed; the pitch stays</source>
        <translation>播放速度；音高不变</translation>
    </message>
    <message>
        <source>Volume</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Volume of the player; saved files are not changed</source>
        <translation>播放器的音量；不改变保存的文件</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>waiting for the model…</source>
        <translation>正在等待模型…</translation>
    </message>
    <message numerus="yes">
        <source>held up %n time(s) by the model</source>
        <translation>
            <numerusform>因模型等待 %n 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n gap(s) in the sound</source>
        <translation>
            <numerusform>声音中断 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Output device</source>
        <translation>输出设备</translation>
    </message>
    <message>
        <source>Output device: {name}</source>
        <translation>输出设备：{name}</translation>
    </message>
    <message>
        <source>The system&apos;s choice</source>
        <translation>由系统选择</translation>
    </message>
    <message>
        <source>Look for sound devices again</source>
        <translation>重新查找声音设备</translation>
    </message>
</context>
<context>
    <name>TrimBench</name>
    <message>
        <source>Nothing is wrong with it.</source>
        <translation>没有发现问题。</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Listen to what is used</source>
        <translation>试听将使用的部分</translation>
    </message>
    <message>
        <source>Play what lies between the handles.</source>
        <translation>播放两个手柄之间的部分。</translation>
    </message>
    <message>
        <source>to</source>
        <translation>至</translation>
    </message>
    <message>
        <source>Used from</source>
        <translation>使用起点</translation>
    </message>
    <message>
        <source>Used to</source>
        <translation>使用终点</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>In seconds; taken as it is typed.</source>
        <translation>以秒为单位；按输入的数值使用。</translation>
    </message>
    <message>
        <source>Cut in pauses</source>
        <translation>在停顿处剪切</translation>
    </message>
    <message>
        <source>Move cuts into pauses</source>
        <translation>把剪切点移到停顿处</translation>
    </message>
    <message>
        <source>A dragged handle goes to the nearest pause in speech.</source>
        <translation>拖动的手柄会移到最近的说话停顿处。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo the last change of this recording</source>
        <translation>撤销对这段录音的上一次更改</translation>
    </message>
    <message>
        <source>Use all of it</source>
        <translation>使用全部</translation>
    </message>
    <message>
        <source>Take back all changes of this recording</source>
        <translation>取消对这段录音的所有更改</translation>
    </message>
    <message>
        <source>Use the recording as it is; the file itself was never changed.</source>
        <translation>按原样使用录音；文件本身从未被改动。</translation>
    </message>
    <message>
        <source>All {whole} are used</source>
        <translation>全部 {whole} 都会使用</translation>
    </message>
    <message>
        <source>{used} of {whole} are used</source>
        <translation>使用 {whole} 中的 {used}</translation>
    </message>
    <message>
        <source>It is {whole} long</source>
        <translation>长 {whole}</translation>
    </message>
    <message>
        <source>only the first {looked} are shown</source>
        <translation>只显示前 {looked}</translation>
    </message>
</context>
<context>
    <name>TrimView</name>
    <message>
        <source>Recording, used from {start} to {end}</source>
        <translation>录音，使用 {start} 至 {end}</translation>
    </message>
    <message>
        <source>Drag the handles: what lies between them is used. Arrow keys move the one that was touched last.</source>
        <translation>拖动两个手柄：使用它们之间的部分。方向键移动最后触碰的手柄。</translation>
    </message>
</context>
<context>
    <name>VerifyControl</name>
    <message>
        <source>Choose a sound file</source>
        <translation>选择声音文件</translation>
    </message>
    <message>
        <source>Sound (*.wav *.flac *.mp3 *.ogg *.opus)</source>
        <translation>声音 (*.wav *.flac *.mp3 *.ogg *.opus)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>VerifyDialog</name>
    <message>
        <source>This file cannot be read: {reason}</source>
        <translation>无法读取此文件：{reason}</translation>
    </message>
    <message>
        <source>Marks of a file</source>
        <translation>文件的标识</translation>
    </message>
    <message>
        <source>Drop a sound file here: WAV, FLAC, MP3 or Ogg.</source>
        <translation>把声音文件拖到这里：WAV、FLAC、MP3 或 Ogg。</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose a sound file</source>
        <translation>选择声音文件</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>All that was found, as JSON</source>
        <translation>以 JSON 格式复制找到的全部内容</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The file is being looked at…</source>
        <translation>正在检查文件…</translation>
    </message>
</context>
<context>
    <name>ViewTools</name>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Show the whole take (0)</source>
        <translation>显示整个版本（0）</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom in (+, or the wheel)</source>
        <translation>放大（+ 或滚轮）</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Zoom out (-, or the wheel)</source>
        <translation>缩小（- 或滚轮）</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>轨道</translation>
    </message>
    <message>
        <source>Which tracks are shown</source>
        <translation>显示哪些轨道</translation>
    </message>
    <message>
        <source>Export view</source>
        <translation>导出视图</translation>
    </message>
    <message>
        <source>Save a picture of the tracks, or their data. Use Save take for the sound.</source>
        <translation>保存轨道的图片或数据。保存声音请用“保存版本”。</translation>
    </message>
    <message>
        <source>Lay another take over this one</source>
        <translation>叠加另一版本</translation>
    </message>
    <message>
        <source>Lay another take over this one: its waveform as an outline, the rest at half strength or dotted</source>
        <translation>叠加另一版本：波形画成轮廓，其余为半透明或点线</translation>
    </message>
    <message>
        <source>Waveform</source>
        <translation>波形</translation>
    </message>
    <message>
        <source>Spectrogram</source>
        <translation>频谱图</translation>
    </message>
    <message>
        <source>Latents</source>
        <translation>潜变量</translation>
    </message>
    <message>
        <source>Stop probability</source>
        <translation>停止概率</translation>
    </message>
    <message>
        <source>Time per patch</source>
        <translation>每块用时</translation>
    </message>
    <message>
        <source>Nothing laid over</source>
        <translation>不叠加</translation>
    </message>
    <message>
        <source>take {take}: {words}, {length}</source>
        <translation>第 {take} 版：{words}，{length}</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>图片（PNG）…</translation>
    </message>
    <message>
        <source>{track} as {format}…</source>
        <translation>{track}，{format} 格式…</translation>
    </message>
    <message>
        <source>Not exported: {reason}</source>
        <translation>未导出：{reason}</translation>
    </message>
    <message>
        <source>Exported: {path}</source>
        <translation>已导出：{path}</translation>
    </message>
</context>
<context>
    <name>VoiceControl</name>
    <message>
        <source>Exported: {path}</source>
        <translation>已导出：{path}</translation>
    </message>
    <message>
        <source>The voice {name} is saved with its record.</source>
        <translation>声音“{name}”及其记录已保存。</translation>
    </message>
    <message>
        <source>The voice {name} is here.</source>
        <translation>声音“{name}”已导入。</translation>
    </message>
    <message>
        <source>The voice {name} is in quarantine: it has no valid consent record.</source>
        <translation>声音“{name}”已隔离：没有有效的同意记录。</translation>
    </message>
    <message>
        <source>{name} (copy)</source>
        <translation>{name}（副本）</translation>
    </message>
    <message>
        <source>{name} stands on the same consent: a withdrawal or a complaint about one holds for both.</source>
        <translation>“{name}”依据同一份同意：对其中一个的撤回或投诉对两者都有效。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the voice {name} for ever?</source>
        <translation>永久删除声音“{name}”？</translation>
    </message>
    <message>
        <source>Its recordings and all takes made with it go too, and nothing brings them back. A signed note stays that holds no names.</source>
        <translation>它的录音和用它生成的所有版本也会一并删除，无法恢复。只留下一份不含姓名的签名记录。</translation>
    </message>
    <message>
        <source>Export the voice</source>
        <translation>导出声音</translation>
    </message>
    <message>
        <source>Voices (*.zip)</source>
        <translation>声音 (*.zip)</translation>
    </message>
    <message>
        <source>Names and personal texts of the record go along</source>
        <translation>连同记录里的姓名和个人内容一起导出</translation>
    </message>
    <message>
        <source>Import a voice</source>
        <translation>导入声音</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Nothing was saved: there is no key to encrypt it with.</source>
        <translation>没有保存：没有可以加密的密钥。</translation>
    </message>
    <message>
        <source>The saved voices cannot be read.</source>
        <translation>无法读取已保存的声音。</translation>
    </message>
    <message>
        <source>The record of this voice cannot be read.</source>
        <translation>无法读取这个声音的记录。</translation>
    </message>
    <message>
        <source>This voice cannot be played.</source>
        <translation>无法播放这个声音。</translation>
    </message>
    <message>
        <source>The voice could not be saved.</source>
        <translation>声音没有保存成功。</translation>
    </message>
    <message>
        <source>The voice could not be changed.</source>
        <translation>声音没有改成功。</translation>
    </message>
    <message>
        <source>The voice could not be deleted.</source>
        <translation>声音没有删除成功。</translation>
    </message>
    <message>
        <source>The voice could not be copied.</source>
        <translation>无法复制这个声音。</translation>
    </message>
    <message>
        <source>The voice could not be exported.</source>
        <translation>声音没有导出成功。</translation>
    </message>
    <message>
        <source>The voice could not be imported.</source>
        <translation>声音没有导入成功。</translation>
    </message>
    <message>
        <source>The saved voices could not be unlocked.</source>
        <translation>无法解锁已保存的声音。</translation>
    </message>
</context>
<context>
    <name>VoiceListModel</name>
    <message>
        <source>(locked)</source>
        <translation>（已锁定）</translation>
    </message>
    <message>
        <source>own voice</source>
        <translation>自己的声音</translation>
    </message>
    <message>
        <source>another person</source>
        <translation>他人</translation>
    </message>
    <message>
        <source>licensed</source>
        <translation>许可使用</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>公有领域</translation>
    </message>
    <message>
        <source>designed</source>
        <translation>设计的声音</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>参考音频</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>提示音频</translation>
    </message>
    <message>
        <source>reference and prompt</source>
        <translation>参考和提示音频</translation>
    </message>
    <message>
        <source>no recording</source>
        <translation>没有录音</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>已冻结</translation>
    </message>
    <message>
        <source>quarantined</source>
        <translation>已隔离</translation>
    </message>
    <message>
        <source>shipped</source>
        <translation>自带</translation>
    </message>
</context>
<context>
    <name>VoicePick</name>
    <message>
        <source>Saved voice: {name}</source>
        <translation>已保存的声音：{name}</translation>
    </message>
    <message>
        <source>Saved voice…</source>
        <translation>已保存的声音…</translation>
    </message>
    <message>
        <source>Choose a saved voice</source>
        <translation>选择已保存的声音</translation>
    </message>
    <message>
        <source>Use a recording</source>
        <translation>使用录音</translation>
    </message>
    <message>
        <source>Use a recording instead of the saved voice</source>
        <translation>改用录音</translation>
    </message>
    <message>
        <source>Save this voice…</source>
        <translation>保存这个声音…</translation>
    </message>
    <message>
        <source>Save this voice</source>
        <translation>保存这个声音</translation>
    </message>
    <message>
        <source>Keep it with a record of the consent.</source>
        <translation>连同同意记录一起保存。</translation>
    </message>
</context>
<context>
    <name>VoicesPanel</name>
    <message>
        <source>Voices</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Search names and tags</source>
        <translation>搜索名字和标签</translation>
    </message>
    <message>
        <source>Search the voices</source>
        <translation>搜索声音</translation>
    </message>
    <message>
        <source>Oldest first</source>
        <translation>最早的在前</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>最新的在前</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>Least evidence first</source>
        <translation>凭证最少的在前</translation>
    </message>
    <message>
        <source>Order of the voices</source>
        <translation>声音的排列顺序</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Import a voice</source>
        <translation>导入声音</translation>
    </message>
    <message>
        <source>Take in a voice that another studio exported</source>
        <translation>导入另一个工作室导出的声音</translation>
    </message>
    <message>
        <source>From far away</source>
        <translation>远程</translation>
    </message>
    <message>
        <source>Consent from far away</source>
        <translation>远程同意</translation>
    </message>
    <message>
        <source>Ask a person elsewhere for consent, or answer</source>
        <translation>向别处的人请求同意，或作出答复</translation>
    </message>
    <message>
        <source>Ask somebody for consent…</source>
        <translation>向某人请求同意…</translation>
    </message>
    <message>
        <source>Take in an answer…</source>
        <translation>导入答复…</translation>
    </message>
    <message>
        <source>Answer a request…</source>
        <translation>答复请求…</translation>
    </message>
    <message>
        <source>Unlock…</source>
        <translation>解锁…</translation>
    </message>
    <message>
        <source>Unlock the saved voices</source>
        <translation>解锁已保存的声音</translation>
    </message>
    <message>
        <source>Some voices are locked: their names and sounds cannot be read now.</source>
        <translation>有些声音已锁定：现在读不出名字和音频。</translation>
    </message>
    <message>
        <source>Saved voices</source>
        <translation>已保存的声音</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Name of the voice</source>
        <translation>声音的名字</translation>
    </message>
    <message>
        <source>Tags, with commas between</source>
        <translation>标签，用逗号分开</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>Change name and tags</source>
        <translation>修改名字和标签</translation>
    </message>
    <message>
        <source>What the consent record says</source>
        <translation>同意记录的内容</translation>
    </message>
    <message>
        <source>Use for cloning</source>
        <translation>用于克隆</translation>
    </message>
    <message>
        <source>Speak with this voice</source>
        <translation>用这个声音说话</translation>
    </message>
    <message>
        <source>Use to continue</source>
        <translation>用于续说</translation>
    </message>
    <message>
        <source>Go on from the prompt of this voice</source>
        <translation>从这个声音的提示音频往下说</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Play the recording of this voice</source>
        <translation>播放这个声音的录音</translation>
    </message>
    <message>
        <source>Hear a take</source>
        <translation>试听版本</translation>
    </message>
    <message>
        <source>Play a favourite, the best rated or the newest take of it</source>
        <translation>播放用它生成的收藏、评分最高或最新的版本</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Save a copy with a name of its own, on the same consent</source>
        <translation>存为另一个名称的副本，依据同一份同意</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write the voice with its record to one file</source>
        <translation>把声音和记录写入一个文件</translation>
    </message>
    <message>
        <source>Speak the statement…</source>
        <translation>朗读声明…</translation>
    </message>
    <message>
        <source>Let the person speak the statement, so that the record shows more</source>
        <translation>让本人朗读声明，使记录更有证明力</translation>
    </message>
    <message>
        <source>Renew…</source>
        <translation>续签…</translation>
    </message>
    <message>
        <source>Give the consent anew, or let it last longer</source>
        <translation>重新给出同意，或延长有效期</translation>
    </message>
    <message>
        <source>Withdraw…</source>
        <translation>撤回…</translation>
    </message>
    <message>
        <source>The person took the consent back: freeze the voice at once</source>
        <translation>本人撤回了同意：立即冻结声音</translation>
    </message>
    <message>
        <source>Complaint…</source>
        <translation>投诉…</translation>
    </message>
    <message>
        <source>Somebody objects to this voice: freeze it, see what was made of it, decide</source>
        <translation>有人对这个声音提出异议：冻结它，查看由它产生的内容，再作决定</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Delete the voice and all takes made with it, for ever</source>
        <translation>永久删除声音和用它生成的所有版本</translation>
    </message>
    <message>
        <source>Another studio signed this: it shows that nothing was changed, not who signed.</source>
        <translation>由另一个工作室签名：能证明没有改动，不能证明签名的是谁。</translation>
    </message>
    <message>
        <source>Other voices that stand on this consent: {count}. A withdrawal or complaint holds for all.</source>
        <translation>依据这份同意的其他声音：{count} 个。撤回或投诉对全部有效。</translation>
    </message>
</context>
<context>
    <name>WatermarkPreview</name>
    <message>
        <source>Choose a take whose sound is there.</source>
        <translation>请选择一个已有声音的版本。</translation>
    </message>
    <message>
        <source>The watermark cannot be made.</source>
        <translation>无法制作水印。</translation>
    </message>
</context>
<context>
    <name>WaveformView</name>
    <message>
        <source>level {level}</source>
        <translation>电平 {level}</translation>
    </message>
    <message>
        <source>Waveform</source>
        <translation>波形</translation>
    </message>
    <message>
        <source>Waveform: click to go there, drag to select, turn the wheel to zoom</source>
        <translation>波形：点击跳转，拖动选择，滚轮缩放</translation>
    </message>
</context>
<context>
    <name>WithdrawConsentDialog</name>
    <message>
        <source>Withdraw</source>
        <translation>撤回</translation>
    </message>
    <message>
        <source>Did the person take the consent to {name} back?</source>
        <translation>此人是否撤回了对“{name}”的同意？</translation>
    </message>
    <message>
        <source>They said so</source>
        <translation>告知方式</translation>
    </message>
    <message>
        <source>By which channel the withdrawal came</source>
        <translation>撤回同意是通过什么方式告知的</translation>
    </message>
    <message>
        <source>in person</source>
        <translation>当面</translation>
    </message>
    <message>
        <source>by phone</source>
        <translation>电话</translation>
    </message>
    <message>
        <source>by e-mail</source>
        <translation>电子邮件</translation>
    </message>
    <message>
        <source>by letter</source>
        <translation>信件</translation>
    </message>
    <message>
        <source>by a message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>in another way</source>
        <translation>其他方式</translation>
    </message>
    <message>
        <source>They also want it deleted</source>
        <translation>本人还要求删除这个声音</translation>
    </message>
    <message>
        <source>Delete the voice and all takes made with it, for ever</source>
        <translation>永久删除声音和用它生成的所有版本</translation>
    </message>
    <message>
        <source>The voice and its copies, the recordings and all takes made with them are deleted at once, and nothing brings them back. A signed note stays that holds no names.</source>
        <translation>这个声音及其副本、录音以及用它们生成的所有版本会立即删除，无法恢复。只留下一份不含姓名的签名说明。</translation>
    </message>
    <message>
        <source>The voice and its copies are frozen at once and cannot be freed again: it takes a new consent and a new recording.</source>
        <translation>这个声音及其副本会立即冻结，不能解冻：需要新的同意和新的录音。</translation>
    </message>
    <message>
        <source>Write the withdrawal into the record</source>
        <translation>把撤回写入记录</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change nothing</source>
        <translation>不做更改</translation>
    </message>
</context>
<context>
    <name>Wording</name>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>Clone</source>
        <translation>克隆</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>续写</translation>
    </message>
    <message>
        <source>Continue + reference</source>
        <translation>续写 + 参考</translation>
    </message>
    <message>
        <source>ended by itself</source>
        <translation>自行结束</translation>
    </message>
    <message>
        <source>cut: much longer than its text</source>
        <translation>已截断：远长于文本</translation>
    </message>
    <message>
        <source>cut at the longest length allowed</source>
        <translation>达到允许的最长长度，已截断</translation>
    </message>
    <message>
        <source>cut: the model&apos;s context is full</source>
        <translation>已截断：模型上下文已满</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>由您停止</translation>
    </message>
    <message>
        <source>broke off</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>joined of several takes</source>
        <translation>由多个版本拼接</translation>
    </message>
    <message>
        <source>doubtful: far too long for its text</source>
        <translation>存疑：相对文本过长</translation>
    </message>
    <message>
        <source>No playback: the PortAudio library is not installed. All else works.</source>
        <translation>无法播放：未安装 PortAudio 库。其他功能正常。</translation>
    </message>
    <message>
        <source>No playback: no sound device was found. All else works.</source>
        <translation>无法播放：未找到声音设备。其他功能正常。</translation>
    </message>
    <message>
        <source>No playback: the sound device could not be opened. All else works.</source>
        <translation>无法播放：声音设备无法打开。其他功能正常。</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} 秒</translation>
    </message>
    <message>
        <source>{count} ms</source>
        <translation>{count} 毫秒</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>静音</translation>
    </message>
    <message>
        <source>No recording: the PortAudio library is not installed. Open a file instead.</source>
        <translation>无法录音：未安装 PortAudio 库。请改为打开文件。</translation>
    </message>
    <message>
        <source>No recording: no microphone was found. Open a file instead.</source>
        <translation>无法录音：未找到麦克风。请改为打开文件。</translation>
    </message>
    <message>
        <source>No recording: the microphone could not be opened. Open a file instead.</source>
        <translation>无法录音：麦克风无法打开。请改为打开文件。</translation>
    </message>
</context>
</TS>
