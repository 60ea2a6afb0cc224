import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.InverseMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** Counts the words of a text and how often two follow each other, then orders them by their counts. Usage: Words SCRATCH TEXT */
public final class Words {
    public static final class Split extends Mapper<LongWritable, Text, Text, LongWritable> {
        private static final LongWritable ONE = new LongWritable(1);
        private final Text word = new Text();
        private final Text pair = new Text();

        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            String before = null;
            for (String next : line.toString().toLowerCase().split("[^a-z]+")) {
                if (next.isEmpty()) {
                    continue;
                }
                word.set(next);
                context.write(word, ONE);
                if (before != null) {
                    pair.set(before + ' ' + next);
                    context.write(pair, ONE);
                }
                before = next;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        String scratch = args[0];
        Path text = new Path("file://" + args[1]);
        Configuration conf = Local.configuration(scratch);
        conf.setInt("mapreduce.task.io.sort.mb", 64);
        Path counts = Local.path(scratch, "counts");

        Job count = Job.getInstance(conf, "count");
        count.setJarByClass(Words.class);
        count.setInputFormatClass(TextInputFormat.class);
        FileInputFormat.addInputPath(count, text);
        count.setMapperClass(Split.class);
        count.setCombinerClass(LongSumReducer.class);
        count.setReducerClass(LongSumReducer.class);
        count.setNumReduceTasks(4);
        count.setOutputKeyClass(Text.class);
        count.setOutputValueClass(LongWritable.class);
        count.setOutputFormatClass(SequenceFileOutputFormat.class);
        FileOutputFormat.setOutputPath(count, counts);
        Local.run(count);

        Job order = Job.getInstance(conf, "order");
        order.setJarByClass(Words.class);
        order.setInputFormatClass(SequenceFileInputFormat.class);
        FileInputFormat.addInputPath(order, counts);
        order.setMapperClass(InverseMapper.class);
        order.setSortComparatorClass(LongWritable.DecreasingComparator.class);
        order.setNumReduceTasks(1);
        order.setOutputKeyClass(LongWritable.class);
        order.setOutputValueClass(Text.class);
        FileOutputFormat.setOutputPath(order, Local.path(scratch, "order"));
        Local.run(order);

        long distinct = Local.count(count, TaskCounter.REDUCE_OUTPUT_RECORDS);
        long written = Local.count(order, TaskCounter.REDUCE_OUTPUT_RECORDS);
        long bytes = Local.count(count, FileInputFormatCounter.BYTES_READ);
        long size = text.getFileSystem(conf).getFileStatus(text).getLen();
        Local.check(distinct > 1000 && written == distinct, written + " of " + distinct + " words written");
        Local.check(bytes >= size, bytes + " of " + size + " bytes read");
    }

    private Words() {}
}
